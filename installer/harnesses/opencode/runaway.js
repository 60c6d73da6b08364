const MOMENT = 500 // milliseconds after which our word replaces OpenCode's own about a prompt held back
const HEADLESS = process.argv.includes("run") // nobody is there to answer

export const Runaway = async ({ client, directory }) => {
  const sessions = new Map() // session -> who started it, and when
  const told = new Map() // session -> what happened in it since the guard was last asked
  const spoken = new Set() // sessions in which somebody has said something
  const notes = new Map() // call -> what its agent is to read with the result

  const show = (message) => {
    const body = { message, variant: "warning" }
    if (HEADLESS) console.error(message)
    else setTimeout(() => client.tui.showToast({ body }).catch(() => {}), MOMENT)
  }

  const ask = (event, session, rest) => {
    let answer = {}
    try {
      let root = session
      while (sessions.get(root)?.parentID) root = sessions.get(root).parentID
      const agent = root === session ? "" : session
      const input = { event, session: root, agent, directory, attended: !HEADLESS, ...rest }
      answer = askGuard(input)
      if (answer.show) show(answer.show)
      if (answer.stop) client.session.abort({ path: { id: session } }).catch(() => {})
    } catch {}
    return answer
  }

  const news = (session) => {
    const since = told.get(session) ?? []
    told.delete(session)
    return since
  }

  const tell = (session, what) => told.set(session, [...news(session), what])

  const result = ({ callID, tool, messageID, state: { status, time, output, error, metadata } }) => ({
    ...{ callID, tool, messageID },
    state: { status, time, output, error, metadata: { exit: metadata?.exit } },
  })

  // Only what the guard says may throw: whatever else fails in a hook, work goes on.
  const safely = (hook) => async (...given) => {
    let answer
    try {
      answer = hook(...given)
    } catch {}
    if (answer?.deny) throw new Error(answer.deny)
  }

  return {
    "chat.message": safely(({ sessionID }, { message, parts }) => {
      if (sessions.get(sessionID)?.parentID) return
      const unasked = (HEADLESS && spoken.has(sessionID)) || parts.every((part) => part.synthetic)
      spoken.add(sessionID)
      return ask("chat.message", sessionID, { prompt: message.id, unasked })
    }),
    "tool.execute.before": safely(({ tool, sessionID, callID }, { args }) => {
      const call = { tool, call: callID, args, told: news(sessionID) }
      const answer = ask("tool.execute.before", sessionID, call)
      if (answer.note) notes.set(callID, answer.note)
      return answer
    }),
    "tool.execute.after": safely(({ callID }, outcome) => {
      const note = notes.get(callID)
      notes.delete(callID)
      if (note && typeof outcome.output === "string") outcome.output += "\n\n" + note
    }),
    event: safely(({ event: { type, properties } }) => {
      const { sessionID, part, info } = properties
      const born = sessions.get(sessionID)?.time.created ?? 0 // a fork begins with copies
      const isNew = (time) => time >= born
      if (type === "session.created" || type === "session.updated") sessions.set(info.id, info)
      if (type === "message.part.updated" && isNew(part.state?.time?.end)) tell(sessionID, result(part))
      if (type === "message.updated" && info.role === "assistant" && isNew(info.time.completed))
        tell(sessionID, info)
      if (type === "session.idle" && told.has(sessionID))
        ask("session.idle", sessionID, { told: news(sessionID) })
    }),
  }
}
