import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { runCli } from "../cli/fake-io.ts";
import { SECRET } from "../receiver/sample.ts";
import { setScene } from "./operations-scene.ts";

/** Orders that make something, and those that end the page which it was given to. */
interface Given {
  readonly before: string;
  readonly after?: string;
}

/** Waits until each event that `listen` kept has ended `done`; prints those that have not. */
const ALL_DONE = [
  `ids() { grep "$1" listen.ndjson | grep -o '"id":"[^"]*"' | sort -u; }`,
  `left() { comm -23 <(ids '"verdict":"accepted"') <(ids '"type":"attempt".*"state":"handled"'); }`,
  `for i in {1..100}; do [ -z "$(left)" ] && break; sleep 0.2; done`,
  `left && [ -z "$(left)" ]`,
].join("; ");

const MAKE_DATABASE =
  "psql -h 127.0.0.1 -U postgres -qc 'create role app login' -c 'create database app owner app'";

/**
 * What pages take for granted, by the word of their links for it. The folder `scene` is beside the
 * page's own.
 */
const GIVEN: Readonly<Record<string, Given>> = {
  project: { before: "<!-- run: cp -r ../scene/. . && npm install -->" },
  app: { before: "<!-- until: ready -->\n<!-- start: node --env-file=.env app.mjs -->" },
  listen: {
    before: "```sh\nnpx hookporter listen --handlers handlers/ --json | tee listen.ndjson\n```",
    after: `<!-- run: ${ALL_DONE} -->`,
  },
  database: {
    before: `<!-- start: start-postgres -->\n<!-- run: until ${MAKE_DATABASE} 2> err.txt; do sleep 0.2; done -->`,
  },
  sandbox: {
    before:
      "```sh\nnpx hookporter sandbox\n```\n<!-- run: export HOOKPORTER_API_KEY=sk_test_sandbox HOOKPORTER_BASE_URL=http://127.0.0.1:4500 -->",
  },
};

/** A link of a page to the list of what the examples assume. */
const ASSUMES = /\[([^\]]+)\]\((?:[^)]*\/)?index\.md#the-examples\)/g;

/** What a page's links to that list name, with the project, which all examples assume. */
export function givenTo(page: string): readonly (readonly [string, Given])[] {
  const named = [...page.matchAll(ASSUMES)].map(([, text = ""]) => text);
  const names = Object.keys(GIVEN);
  const unknown = named.filter((text) => !names.some((name) => text.includes(name)));
  if (unknown.length > 0) throw new Error(`expected one of ${names}, got ${unknown}`);
  return Object.entries(GIVEN).filter(
    ([name]) =>
      named.some((text) => text.includes(name)) || (name === "project" && named.length > 0),
  );
}

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
}).listen(Number(process.env.PORT ?? 3000), "localhost", () => console.log("ready"));
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
  for (const name of [".hookporter", "handlers", "src", "backups"])
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
  await runCli(["events", "backup", "inbox.db"], options);
}
