// Prints the functions of src/ that the options of `listen` pass, from `argv` to
// `receiver.start()`: of `listen --port 0 --forward-to URL` with its secret in a variable. It runs
// the sources themselves, so it needs Node 24 or newer: npx -p node@24 node tools/listen-path.js
//
// --functions names the functions of each file, --json prints { files: { name: count }, functions
// }.
import { mkdtempSync, rmSync } from "node:fs";
import { Session } from "node:inspector/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PassThrough, Writable } from "node:stream";
import { functionsOf, load, report } from "./passed-functions.js";

const ARGV = ["listen", "--port", "0", "--forward-to", "http://127.0.0.1:9/webhooks"];

const { run } = await load("cli/main.ts");
const { Lifecycle } = await load("receiver/lifecycle.ts");
const session = new Session();
session.connect();
await session.post("Profiler.enable");
await session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: false });

// The first run loads the modules, whose own code is no step of the way.
await passed();
report((await passed()).sort());

/** Runs the command until it starts its receiver. Returns the functions that ran. */
async function passed() {
  const cwd = mkdtempSync(join(tmpdir(), "hookporter-path-"));
  const { start } = Lifecycle.prototype;
  /** @type {string[] | undefined} */
  let names;
  Lifecycle.prototype.start = async () => {
    const { result } = await session.post("Profiler.takePreciseCoverage");
    names = result.flatMap(functionsOf);
    throw new Error("the measured way ends here");
  };
  await session.post("Profiler.takePreciseCoverage"); // what came before does not count
  const lines = [];
  const output = () =>
    new Writable({
      write: (chunk, _, done) => {
        lines.push(String(chunk));
        done();
      },
    });
  await run(ARGV, {
    env: { HOOKPORTER_SECRET: "the secret of the measured path", HOME: cwd },
    cwd,
    stdin: new PassThrough(),
    stdout: output(),
    stderr: output(),
    isTTY: { stdin: false, stdout: false, stderr: false },
    exit: () => {},
    onSignal: () => () => {},
    onKeys: () => () => {},
    onBrokenOutput: () => {},
    onStray: () => () => {},
    onExitCall: () => () => {},
  }).catch(() => {}); // the error above
  Lifecycle.prototype.start = start;
  rmSync(cwd, { recursive: true });
  if (names === undefined)
    throw new Error(`expected listen to start a receiver, got: ${lines.join("")}`);
  return names;
}
