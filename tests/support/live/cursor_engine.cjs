// Drives Cursor's hook engine (tools/cursor_engine.py): loads the hook files of each job's home, fires its
// events, and tells what was loaded, what was wrong, and what the engine makes of the answers.
"use strict";
const { readFileSync } = require("node:fs");
const { bundle, jobs } = JSON.parse(readFileSync(0, "utf8"));
const warnings = [];
console.warn = (text) => warnings.push(String(text));

async function run(job) {
  Object.assign(process.env, { HOME: job.home, SHELL: job.shell });
  const options = { useCommandHookStdinTransport: job.pipe, globalContext: { cursor_version: "3.18.2" } };
  const workspaceState = { projectRoot: job.project, workspaceRoots: [job.project] };
  const runtime = await globalThis.hooks(options).createHooksRuntime({ workspaceState });
  const files = runtime.hooksConfig;
  for (const name of Object.keys(files)) {
    if (name.startsWith("claude") && !job.thirdParty) delete files[name];
  }
  const { hookExecutor } = runtime.createSessionRuntime();
  const answers = [];
  for (const [event, payload] of job.events) {
    answers.push((await hookExecutor.executeHookForStep(event, payload)) ?? {});
  }
  const { errors, configDirs, ...loaded } = files;
  return { errors, loaded, answers, warnings: warnings.splice(0) };
}

(async () => {
  require(`${bundle}/index.js`);
  await Promise.all([529, 804].map((chunk) => globalThis.load.e(chunk)));
  globalThis.load("./src/agent/local-executor.ts");
  const outcomes = [];
  for (const job of jobs) outcomes.push(await run(job));
  process.stdout.write(JSON.stringify(outcomes));
})();
