import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { tempFolder } from "../cli/fake-io.ts";
import { run } from "../strangers/programs.ts";

const root = join(import.meta.dirname, "..", "..");

/** Whether Node has SQLite built in. */
export const HAS_SQLITE = process.getBuiltinModule?.("node:sqlite" as "node:fs") !== undefined;

/**
 * The deliveries that the program sends to itself, in bursts that are large enough for the writer
 * thread.
 */
const DELIVERIES = 120;
const BURST = 40;

/** Keeps and handles deliveries in the inbox that its argument names, then prints what happened. */
const BODY = `
async function main() {
  let threads = 0;
  process.on("worker", () => threads++);
  const secret = "a-secret-for-every-kind-of-module";
  const receiver = createReceiver({ secret, inbox: process.argv[2] });
  let handled = 0;
  receiver.on("payment.received", async () => void handled++);
  await receiver.start();
  const handle = fetchReceiver(receiver);
  const statuses = new Set();
  for (let sent = ${BURST}; sent <= ${DELIVERIES}; sent += ${BURST}) {
    const answers = Array.from({ length: ${BURST} }, () => {
      const request = signedRequest(sampleEvent("payment.received"), { secret });
      return handle(new Request("http://localhost/webhooks", request));
    });
    for (const { status } of await Promise.all(answers)) statuses.add(status);
    while (handled < sent) await new Promise((resolve) => setTimeout(resolve, 5));
  }
  await receiver.close();
  console.log(JSON.stringify({ statuses: [...statuses], handled, threads }));
}
main().catch((error) => {
  console.error(error.code, error.message);
  process.exitCode = 1;
});
`;

const NAMES = {
  hookporter: "{ createReceiver }",
  "hookporter/fetch": "{ fetchReceiver }",
  "hookporter/testing": "{ sampleEvent, signedRequest }",
};

/** What the program prints if all went well. Only Node reports the threads that it starts. */
export function printed(threads: number): string {
  return `${JSON.stringify({ statuses: [200], handled: DELIVERIES, threads })}\n`;
}

/** A project that has the package installed, with the program as an ES module and in CommonJS. */
export function projectWithProgram(): { folder: string; esm: string; commonJs: string } {
  const folder = tempFolder();
  mkdirSync(join(folder, "node_modules"));
  symlinkSync(root, join(folder, "node_modules", "hookporter"), "junction");
  // Deno looks for packages beside one
  writeFileSync(join(folder, "package.json"), '{ "private": true }');
  const esm = join(folder, "program.mjs");
  const commonJs = join(folder, "program.cjs");
  const lines = (line: (name: string, from: string) => string) =>
    Object.entries(NAMES).map(([from, names]) => line(names, from));
  const imports = lines((names, from) => `import ${names} from "${from}";`);
  const requires = lines((names, from) => `const ${names} = require("${from}");`);
  writeFileSync(esm, imports.join("\n") + BODY);
  writeFileSync(commonJs, requires.join("\n") + BODY);
  return { folder, esm, commonJs };
}

/** Runs the program, or a bundle of it, on a new inbox file. */
export function runProgram(program: string, { flags = ["--no-warnings"] } = {}) {
  return run(process.execPath, [...flags, program, join(tempFolder(), "inbox.db")], undefined, {
    cwd: tempFolder(),
  });
}
