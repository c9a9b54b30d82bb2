import { existsSync } from "node:fs";
import { join } from "node:path";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { expect } from "vitest";
import { codeOf } from "../docs/markdown.ts";
import { journey } from "./kit/journey.ts";
import { commandsIn, linesOf } from "./kit/pages.ts";
import type { Running, World } from "./kit/world.ts";

const { step, note } = journey("agent");

const PAGE = "docs/agents.md";
const HANDLER = "src/handlers/finances.ts";
const RIGHT = "const { id, amount } = event.data;";
const WRONG = 'const { id, amount } = JSON.parse("no JSON") as typeof event.data;';

const project = (world: World) => join(world.folder, "my-receiver");
const fileOf = (world: World) => join(project(world), HANDLER);
let listen: Running;
let server: Running;
let url = "";

/** A program that loads the handlers again, and what it prints when it has. */
interface Reloading {
  readonly program: Running;
  readonly loaded: string;
}
const ofListen = (): Reloading => ({ program: listen, loaded: "handlers reloaded" });
const ofServer = (): Reloading => ({ program: server, loaded: '"message":"listening"' });

/** Edits the handler, and waits until the program has loaded it. */
async function edit(world: World, { program, loaded }: Reloading, from: string, to: string) {
  const loads = () => program.printed().split(loaded).length;
  const before = loads();
  world.edit(fileOf(world), from, to);
  await expect.poll(loads, { timeout: 30_000 }).toBeGreaterThan(before);
}

/** Runs a line that must succeed; returns what it printed. */
async function succeed(world: World, line: string): Promise<string> {
  const ran = await world.shell(project(world), line);
  expect(ran, `${line}\n${ran.text}`).toMatchObject({ code: 0 });
  return ran.text;
}

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

/** Sends an event that the handler fails at; returns what the record says. */
async function failWith(world: World, send: string) {
  const failed = await world.shell(project(world), send);
  expect(failed, failed.text).toMatchObject({ code: 7 });
  const outcome = recordOf("outcome", failed.text);
  expect(outcome).toMatchObject({ state: "failing" });
  expect(outcome.error).toMatch(/^SyntaxError: /);
  expect(lineAt(world, outcome.at)).toContain(WRONG);
  return outcome;
}

/** Breaks the handler, sends an event, mends it and runs the event again, with the tools alone. */
async function mendWithTools(world: World, reloading: Reloading, to: { url?: string }) {
  const { client, call } = await connect(world);
  const send = { kind: "payment.received", ...to };
  try {
    const right = await call("send_event", send);
    expect(recordOf("outcome", right)).toMatchObject({ state: "handled" });
    await edit(world, reloading, RIGHT, WRONG);
    const outcome = recordOf("outcome", await call("send_event", send));
    expect(outcome).toMatchObject({ state: "failing" });
    expect(lineAt(world, outcome.at)).toContain(WRONG);
    const groups = await call("find_events", { group: true });
    expect(recordOf("failures", groups)).toMatchObject({ at: outcome.at, entries: 1 });
    const shown = await call("get_event", { entry: outcome.seq, body: true });
    expect(recordOf("entry", shown)).toMatchObject({ seq: outcome.seq, state: "failing" });

    await edit(world, reloading, WRONG, RIGHT);
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
}

/** The lines of the project's AGENTS.md, with the port that its server has here. */
function agentsLines(world: World): readonly string[] {
  const text = world.read(project(world), "AGENTS.md");
  return codeOf(text, "sh")
    .flatMap((block) => block.trim().split("\n"))
    .map((line) => line.replace(/ +#.*/, "").replace("--url 3000/", `--url ${new URL(url).port}/`));
}

/** Runs the commands that the fixes and advice of records name, as printed; returns them. */
async function runFixes(world: World, text: string): Promise<readonly string[]> {
  const named = recordsIn(text).flatMap(({ fix, advice }) => [fix ?? [], advice ?? []].flat());
  const commands = named.flatMap(commandsIn);
  for (const command of commands) await succeed(world, command);
  return commands;
}

step(
  "an agent mends a handler by the file and line of a record, with commands alone",
  async (world) => {
    const [, , send = "", wait = ""] = linesOf(project(world), PAGE, "## With commands");
    await edit(world, ofListen(), RIGHT, WRONG);
    const { seq } = await failWith(world, send);
    world.edit(fileOf(world), WRONG, RIGHT);
    const waited = await succeed(world, wait.replace("--after 0", `--after ${seq - 1}`));
    expect(recordOf("outcome", waited)).toMatchObject({ seq, state: "handled" });
  },
);

step("an agent mends the handler with the tools alone", (world) =>
  mendWithTools(world, ofListen(), {}),
);

step("the fix that listen's record names runs as printed", async (world) => {
  await listen.stop();
  const line = "npx hookporter listen --handlers src/handlers --json";
  listen = await world.start(project(world), line, /"type":"ready"/);
  await world.shell(project(world), "npx hookporter trigger property.created --data '{}'");
  const printed = await listen.until(/"type":"delivery"/);
  const { fix } = recordOf("delivery", printed);
  expect(commandsIn(fix)).toHaveLength(1);
  expect(await runFixes(world, JSON.stringify({ fix }))).toHaveLength(1);
  await listen.stop();
});

step(
  "an agent mends the same handler in the project's own server, with commands alone",
  async (world) => {
    url = await world.portFor(project(world));
    const [start = "", send = ""] = agentsLines(world);
    server = await world.start(project(world), start, /"message":"listening"/);
    const first = await succeed(world, `${send} --json`);
    expect(recordOf("outcome", first)).toMatchObject({ seq: 1, state: "handled" });
    await edit(world, ofServer(), RIGHT, WRONG);
    const { seq } = await failWith(world, `${send} --json`);
    await edit(world, ofServer(), WRONG, RIGHT);
    await succeed(world, `npx hookporter events retry ${seq} --json`);
    const waited = await succeed(
      world,
      `npx hookporter events wait --after ${seq - 1} --state handled,dead --json`,
    );
    expect(recordOf("outcome", waited)).toMatchObject({ seq, state: "handled" });
  },
);

step("an agent mends it in the project's own server with the tools alone", (world) =>
  mendWithTools(world, ofServer(), { url }),
);

step("each command of the project's AGENTS.md runs as printed", async (world) => {
  const [, ...lines] = agentsLines(world);
  expect(lines.length).toBeGreaterThan(5);
  for (const line of lines) await succeed(world, line);
});

step("each command that a fix or an advice names runs as printed", async (world) => {
  const [, send = ""] = agentsLines(world);
  await edit(world, ofServer(), RIGHT, WRONG);
  await failWith(world, `${send} --json`);
  const invalid = `npx hookporter trigger property.created --data '{}' --wait --url ${url} --json`;
  const dead = await world.shell(project(world), invalid);
  expect(recordOf("outcome", dead.text)).toMatchObject({ state: "dead", reason: "invalid_data" });
  const ran: string[] = [];
  for (const line of [
    "npx hookporter doctor --report --json",
    "npx hookporter doctor --json",
    `echo '{}' | npx hookporter verify --signature sha256=${"0".repeat(64)} --json`,
  ]) {
    const { text } = await world.shell(project(world), line);
    ran.push(...(await runFixes(world, text)));
  }
  for (const words of [
    "events retry --like",
    "events list --group",
    "events list --state failing",
    "sign --json",
  ])
    expect(ran).toContainEqual(expect.stringContaining(`npx hookporter ${words}`));
});
