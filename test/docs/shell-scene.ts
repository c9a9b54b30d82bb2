import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { runCli } from "../cli/fake-io.ts";
import { SECRET } from "../receiver/sample.ts";
import { setScene } from "./operations-scene.ts";

const HANDLERS = 'export default { "*": () => {} };\n';
/**
 * A reader's app: it verifies and handles deliveries on every path, and reports how often an event
 * ran.
 */
const APP = `import { createServer } from "node:http";
import { createReceiver } from "hookporter";
import { nodeReceiver } from "hookporter/node";
import { appendFileSync, readFileSync, writeFileSync } from "node:fs";

writeFileSync("runs.txt", "");
const receiver = createReceiver({
  secret: process.env.HOOKPORTER_SECRET,
  inbox: "memory:",
  handlers: { "*": ({ data }) => appendFileSync("runs.txt", data.id + "\\n") },
});
await receiver.start();
const answer = nodeReceiver(receiver);
createServer((request, response) => {
  const { pathname, searchParams } = new URL(request.url, "http://localhost");
  if (pathname === "/test/runs") {
    const runs = readFileSync("runs.txt", "utf8").split("\\n");
    return response.end(String(runs.filter((id) => id === searchParams.get("id")).length));
  }
  request.url = "/webhooks";
  answer(request, response);
}).listen(Number(process.env.PORT), "localhost", () => console.log("ready"));
`;
const COUNT = `import { readFileSync } from "node:fs";
const runs = readFileSync("runs.txt", "utf8").split("\\n");
console.log(runs.filter((id) => id === process.argv[2]).length);
`;

/**
 * Fills a folder with what the commands on the pages find in a project: a secret, entries of all
 * states, fixtures, handlers.
 */
export async function makeProject(folder: string): Promise<void> {
  const inbox = join(folder, ".hookporter", "inbox.db");
  for (const name of [".hookporter", "handlers", "src", "dist", "backups"])
    mkdirSync(join(folder, name), { recursive: true, mode: 0o700 });
  await setScene(inbox);
  await setScene(inbox);
  const files: Readonly<Record<string, string>> = {
    ".hookporter/secret": `${SECRET}\n`,
    ".env": `HOOKPORTER_SECRET=${SECRET}\n`,
    "package.json": '{ "name": "app", "private": true, "type": "module" }\n',
    "handlers/all.js": HANDLERS,
    "handlers.mjs": HANDLERS,
    "app.mjs": APP,
    "count-payments.js": COUNT,
    "tell-the-team.js": "process.stdin.resume();\n",
    "body.json": '{"event":"payment.received"}',
  };
  for (const [name, text] of Object.entries(files))
    writeFileSync(join(folder, name), text, { mode: 0o600 });
  const options = { cwd: folder, env: {} };
  for (const to of ["fixtures/", "recorded/"])
    await runCli(["events", "export", "--kind", "payment.received", "--to", to], options);
  for (const copy of ["inbox.db", "backup.db"]) await runCli(["events", "backup", copy], options);
}
