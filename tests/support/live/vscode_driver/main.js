// Runs in the extension host of a throw-away profile: sends a prompt to the real chat view and tells, in
// the file that RUNAWAY_DRIVER_OUT names, when the answer is complete.
const vscode = require("vscode")
const fs = require("fs")

const VENDOR = "customendpoint"
const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms))
const run = (...words) => vscode.commands.executeCommand(...words)

async function model() {
  for (let tries = 0; tries < 200; tries++) {
    const [found] = await vscode.lm.selectChatModels({ vendor: VENDOR })
    if (found) return { vendor: VENDOR, id: found.id }
    await sleep(200)
  }
  throw new Error("the model of chatLanguageModels.json did not appear")
}

async function main() {
  // A fresh profile has the built-in chat extension switched off until somebody signs in.
  await run("workbench.extensions.installExtension", "GitHub.copilot-chat", { enable: true })
  const modelSelector = await model()
  const query = process.env.RUNAWAY_DRIVER_PROMPT
  await run("workbench.action.chat.open", { query, mode: "agent", modelSelector, blockOnResponse: true })
  return "done"
}

const tell = (what) => fs.writeFileSync(process.env.RUNAWAY_DRIVER_OUT, String(what))
exports.activate = () => main().then(tell, (error) => tell(error.stack || error))
