const STEP = 2000 // characters of a response after which its end is looked at
const LONG = 16000 // of what repeats, before the guard is asked
const KEPT = 160000 // of a response
const WORD = 64 // by which a repeat is found

// How the text ends: how long its last passage has repeated itself to the letter, and how often.
const repeated = (text) => {
  const before = text.lastIndexOf(text.slice(-WORD), text.length - WORD - 1)
  if (before < 0) return { length: 0, times: 0 }
  const period = text.length - WORD - before
  let length = period
  while (length < text.length && text.at(-1 - length) === text.at(-1 - length + period)) length++
  return { length, times: Math.floor(length / period) }
}

export default function (pi) {
  let seen = 0 // entries of the session that the guard has been told
  let round = "" // the last response among them
  let unasked = false // an extension wrote the prompt that comes next
  let written = "" // the end of the response that is being written
  let looked = 0 // how much of it was looked at
  let patience = LONG // of its repeats, until the guard is asked again
  const asked = new Set() // calls
  const notes = new Map() // call -> what the model is to read with the result

  const ask = (event, ctx, rest) => {
    const session = ctx.sessionManager.getSessionId()
    const common = { event, session, directory: ctx.cwd, attended: ctx.mode === "tui" }
    const answer = askGuard({ ...common, ...rest })
    if (answer.show && ctx.hasUI) ctx.ui.notify(answer.show, "warning")
    else if (answer.show) console.error(answer.show)
    if (answer.stop) ctx.abort()
    return answer
  }

  const brief = ({ id, timestamp, message, ...entry }) => {
    if (message?.role === "assistant") round = id
    const { role, model, responseId, usage, toolCallId, isError } = message ?? entry
    const content = role === "assistant" ? message.content.filter((one) => one.type === "toolCall") : message?.content
    const kept = { role, model, responseId, usage, toolCallId, isError, content }
    return message ? { id, timestamp, round, message: kept } : { id, timestamp, model, usage }
  }

  const news = (ctx) => {
    const entries = ctx.sessionManager.getEntries()
    const since = entries.slice(seen)
    seen = entries.length
    const roles = ["assistant", "toolResult"]
    return since.filter((one) => one.usage || roles.includes(one.message?.role)).map(brief)
  }

  const prompted = (event, ctx, rest) => {
    const answer = ask(event, ctx, { prompt: String(Date.now()), ...rest })
    if (answer.deny) ctx.abort()
  }

  const allowed = async (ctx, question) => {
    if (!question || (await ctx.ui.confirm("runaway", question))) return
    return { block: true, reason: `${question} The answer was no.` }
  }

  // A handler that throws blocks the call: only what the guard says may do so.
  const on = (event, handler) => pi.on(event, async (...given) => {
    try {
      return await handler(...given)
    } catch {}
  })

  on("session_start", (_, ctx) => {
    seen = ctx.sessionManager.getEntries().length // a fork begins with copies
  })
  on("input", ({ source, streamingBehavior }, ctx) => {
    unasked = source === "extension"
    if (streamingBehavior) prompted("input", ctx, { unasked })
  })
  on("before_agent_start", ({ messageType }, ctx) => {
    prompted("before_agent_start", ctx, { unasked: unasked || messageType === "custom" })
    unasked = false
  })
  on("message_update", ({ assistantMessageEvent: { type, delta } }, ctx) => {
    if (!type.endsWith("_delta")) {
      written = ""
      looked = 0
      patience = LONG
      return
    }
    written += delta
    looked += delta.length
    if (looked < STEP) return
    looked = 0
    written = written.slice(-KEPT)
    const { length, times } = repeated(written)
    if (length < patience) return
    patience = 2 * length
    ask("message_update", ctx, { repeats: times })
  })
  on("tool_call", async ({ toolName, toolCallId, input }, ctx) => {
    asked.add(toolCallId)
    const call = { tool: toolName, call: toolCallId, args: input, told: news(ctx) }
    const answer = ask("tool_call", ctx, call)
    if (answer.note) notes.set(toolCallId, answer.note)
    return answer.deny ? { block: true, reason: answer.deny } : allowed(ctx, answer.ask)
  })
  on("tool_result", ({ toolCallId, content }) => {
    const text = notes.get(toolCallId)
    notes.delete(toolCallId)
    if (text) return { content: [...content, { type: "text", text }] }
  })
  on("turn_end", ({ toolResults }, ctx) => {
    const unseen = toolResults.some(({ toolCallId }) => !asked.has(toolCallId)) // invalid arguments
    asked.clear()
    if (unseen) ask("turn_end", ctx, { told: news(ctx) })
  })
  const rest = (event) => on(event, (_, ctx) => {
    const told = news(ctx)
    if (told.length) ask(event, ctx, { told })
  })
  rest("agent_end")
  rest("agent_settled") // a compaction may have come between
}
