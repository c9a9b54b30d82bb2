import { existsSync } from "node:fs";
import { join } from "node:path";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { expect } from "vitest";
import { codeOf } from "../docs/markdown.ts";
import { journey } from "./kit/journey.ts";
import { linesOf } from "./kit/pages.ts";
import type { Running, World } from "./kit/world.ts";

const { step, note } = journey("agent");

const PAGE = "docs/agents.md";
const HANDLER = "src/handlers/finances.ts";
const RIGHT = "const { id, amount } = event.data;";
const WRONG = 'const { id, amount } = JSON.parse("no JSON") as typeof event.data;';

const project = (world: World) => join(world.folder, "my-receiver");
let listen: Running;

/** The records that a command printed with `--json`. */
function recordsIn(text: string) {
  return text.split("\n").flatMap((line) => (line.startsWith("{") ? [JSON.parse(line)] : []));
}

/** The one record of a type. */
function recordOf(type: string, text: string) {
  const found = recordsIn(text).filter((record) => record.type === type);
  expect(found, text).toHaveLength(1);
  return found[0];
}

/** The file and the line that a record names, as an agent opens them. */
function lineAt(world: World, at: string): string {
  const [, file = "", line = ""] = /^(.+?):(\d+)(?::\d+)?$/.exec(at) ?? [];
  expect(existsSync(join(project(world), file)), at).toBe(true);
  return world.read(project(world), file).split("\n")[Number(line) - 1] ?? "";
}

/** An agent's tools, as the page's settings start them. */
async function connect(world: World) {
  const text = world.read(project(world), "node_modules", "hookporter", PAGE);
  const [settings = ""] = codeOf(text, "json").filter((block) => block.includes("mcpServers"));
  const { command, args } = JSON.parse(settings).mcpServers.hookporter;
  const client = new Client({ name: "journey", version: "1" });
  const cwd = project(world);
  await client.connect(
    new StdioClientTransport({ command, args, cwd, env: world.env, stderr: "ignore" }),
  );
  const call = async (name: string, input: Record<string, unknown>) => {
    const { content } = await client.callTool({ name, arguments: input });
    const answer = content.map((one) => (one.type === "text" ? one.text : "")).join("\n");
    note(`tool ${name} ${JSON.stringify(input)}\n${answer}`);
    return answer;
  };
  return { client, call };
}

step("the page's first commands send an event to the handlers of a new project", async (world) => {
  const made = await world.shell(
    world.folder,
    "npx --yes hookporter@latest init my-receiver --yes && cd my-receiver && npm install --no-audit --no-fund",
  );
  expect(made, made.text).toMatchObject({ code: 0 });
  const [start = "", untilReady = "", send = ""] = linesOf(
    project(world),
    PAGE,
    "## With commands",
  );
  // A project of init has its handlers below src/.
  const line = start.replace("--handlers handlers/", "--handlers src/handlers").replace(" &", "");
  expect(line).toContain("npx hookporter listen --handlers src/handlers ");
  listen = await world.start(project(world), line, /Try it/);
  expect(await world.shell(project(world), untilReady)).toMatchObject({ code: 0 });
  const sent = await world.shell(project(world), send);
  expect(sent, sent.text).toMatchObject({ code: 0 });
  expect(recordOf("outcome", sent.text)).toMatchObject({ seq: 1, state: "handled" });
});

step(
  "an agent mends a handler by the file and line of a record, with commands alone",
  async (world) => {
    const lines = linesOf(project(world), PAGE, "## With commands");
    const [, , send = "", wait = ""] = lines;
    const handler = join(project(world), HANDLER);
    const loads = () => listen.printed().split(/loaded|reloaded/).length;
    const before = loads();
    world.edit(handler, RIGHT, WRONG);
    await expect.poll(loads, { timeout: 20_000 }).toBeGreaterThan(before);
    const failed = await world.shell(project(world), send);
    expect(failed, failed.text).toMatchObject({ code: 7 });
    const outcome = recordOf("outcome", failed.text);
    expect(outcome).toMatchObject({ seq: 2, state: "failing" });
    expect(outcome.error).toMatch(/^SyntaxError: /);
    expect(lineAt(world, outcome.at)).toContain(WRONG);

    world.edit(handler, WRONG, RIGHT);
    const waits = wait.replace("--after 0", `--after ${outcome.seq - 1}`);
    const waited = await world.shell(project(world), waits);
    expect(waited, waited.text).toMatchObject({ code: 0 });
    expect(recordOf("outcome", waited.text)).toMatchObject({ seq: 2, state: "handled" });
  },
);

step("an agent mends the handler with the tools alone", async (world) => {
  const { client, call } = await connect(world);
  try {
    const handler = join(project(world), HANDLER);
    const right = await call("send_event", { kind: "payment.received" });
    expect(recordOf("outcome", right)).toMatchObject({ state: "handled" });
    world.edit(handler, RIGHT, WRONG);
    await new Promise((resolve) => setTimeout(resolve, 3000));
    const failed = await call("send_event", { kind: "payment.received" });
    const outcome = recordOf("outcome", failed);
    expect(outcome).toMatchObject({ state: "failing" });
    expect(lineAt(world, outcome.at)).toContain(WRONG);
    const groups = await call("find_events", { group: true });
    expect(recordOf("failures", groups)).toMatchObject({ at: outcome.at, entries: 1 });
    const shown = await call("get_event", { entry: outcome.seq, body: true });
    expect(recordOf("entry", shown)).toMatchObject({ seq: outcome.seq, state: "failing" });

    world.edit(handler, WRONG, RIGHT);
    await call("retry_events", { entry: outcome.seq });
    const waited = await call("wait_for_event", {
      after: outcome.seq - 1,
      state: ["handled", "dead"],
    });
    expect(recordOf("outcome", waited)).toMatchObject({ seq: outcome.seq, state: "handled" });
    expect(await call("find_events", { group: true })).not.toContain('"failures"');
  } finally {
    await client.close();
  }
});
