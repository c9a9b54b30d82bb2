import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { appendFileSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it, onTestFinished, vi } from "vitest";
import { codeOf, readPage } from "../docs/markdown.ts";
import { type Packed, packPackage } from "../scaffold/packed.ts";
import { closedPort } from "../tunnel/machine.ts";

const ENOUGH = 600_000;
const readme = readPage("README.md");

/** The commands of README's first block after a text. */
function commandsAfter(text: string): readonly string[] {
  const [block = ""] = codeOf(readme.slice(readme.indexOf(text)), "sh");
  return block.trim().split("\n");
}

/** The commands of one of README's tasks, as they are printed. */
function commandsOf(task: string): readonly string[] {
  return commandsAfter(`**${task}.**`);
}

/**
 * The first two commands of README, by the package that the project has, instead of the registry's.
 */
function firstCommands(): readonly string[] {
  return commandsAfter("# hookporter").map((line) =>
    line.replace("hookporter@latest", "hookporter"),
  );
}

let packed: Packed;

beforeAll(async () => {
  packed = await packPackage();
}, ENOUGH);

afterAll(() => packed.remove(), ENOUGH);

/** A project as README's first task makes it, installed. */
async function makeProject(name: string): Promise<string> {
  const [init = ""] = commandsOf("Integrate");
  expect(init).toBe("npx hookporter init my-receiver");
  const project = await packed.init(name, "--yes");
  await packed.run(project, "npm", "install", "--no-audit", "--no-fund", "--prefer-offline");
  const port = await closedPort();
  appendFileSync(join(project, ".env"), `PORT=${port}\nMETRICS_PORT=0\n`);
  return project;
}

/** Runs a line as a shell in the project would; its exit code and all that it printed. */
async function shell(project: string, line: string) {
  const child = spawn("bash", ["-c", line], {
    cwd: project,
    env: packed.env as NodeJS.ProcessEnv,
    stdio: "pipe",
  });
  const printed = printedBy(child);
  const [code] = await once(child, "close");
  return { line, code: Number(code), text: printed() };
}

/** Starts a line that goes on until the test ends. */
async function start(
  project: string,
  line: string,
  isReady: RegExp,
  env: Record<string, string> = {},
) {
  const child = spawn("bash", ["-c", `exec ${line}`], {
    cwd: project,
    env: { ...packed.env, ...env } as NodeJS.ProcessEnv,
    detached: true,
    stdio: "pipe",
  });
  const printed = printedBy(child);
  const ended = once(child, "close");
  const stop = async () => {
    const lives = child.exitCode === null && child.signalCode === null;
    if (lives && child.pid !== undefined) process.kill(-child.pid, "SIGTERM");
    await ended;
  };
  onTestFinished(stop);
  await vi.waitFor(
    () => {
      if (!isReady.test(printed())) throw new Error(`${line} is not ready: ${printed()}`);
    },
    { timeout: 60_000, interval: 100 },
  );
  return { printed, stop };
}

function printedBy(child: ChildProcess): () => string {
  const chunks: string[] = [];
  child.stdout?.on("data", (chunk) => chunks.push(String(chunk)));
  child.stderr?.on("data", (chunk) => chunks.push(String(chunk)));
  return () => chunks.join("");
}

const startListen = (project: string, flags = "") =>
  start(project, `npx hookporter listen ${flags}`, /Try it in this folder/, {
    HOOKPORTER_LISTEN_PORT: "0",
  });
const startServer = (project: string) => start(project, "npm run dev", /"message":"listening"/);

const serverUrl = (project: string) => {
  const [, port = ""] = /^PORT=(\d+)$/m.exec(readFileSync(join(project, ".env"), "utf8")) ?? [];
  return `http://127.0.0.1:${port}/webhooks`;
};

/** README's second terminal, and what one types next; each acts on what `listen` has received. */
async function develop(project: string): Promise<void> {
  const [listen, trigger = ""] = firstCommands();
  const commands = commandsOf("Develop");
  expect([listen, commands.length]).toEqual(["npx hookporter listen", 2]);
  expect(trigger).toMatch(/^npx hookporter trigger payment\.received /);
  for (const line of [
    trigger,
    ...commands,
    "npx hookporter trigger payment.received --wait",
    "npx hookporter events list",
    "npx hookporter events show 1",
    "npx hookporter events wait --after 0",
    "npx hookporter events retry 1",
    "npx hookporter replay 1",
    "npx hookporter types --with-samples",
  ]) {
    const { code, text } = await shell(project, line);
    // Nobody handles an event here, so that what waits for one says so with 7.
    const expected = /--wait|events wait/.test(line) ? 7 : 0;
    expect({ line, code, text }).toEqual({ line, code: expected, text });
    expect(text, line).not.toContain("there is no inbox");
  }
  const exported = readdirSync(join(project, "fixtures"));
  expect(exported.length).toBeGreaterThan(0);
  expect(exported.every((name) => name.includes("payment.received"))).toBe(true);
}

it("README's tasks run in one folder that init made, in order, with listen started first", {
  timeout: ENOUGH,
}, async () => {
  const project = await makeProject("listen-first");
  expect((await shell(project, "npm test")).code).toBe(0);

  const listen = await startListen(project);
  await develop(project);

  // The server comes second: both inboxes are in reach now.
  const server = await startServer(project);
  const url = serverUrl(project);
  const sent = await shell(project, `npx hookporter trigger lead.created --wait --url ${url}`);
  expect(sent).toMatchObject({ code: 0, text: expect.stringContaining("handled") });
  const listed = await shell(project, "npx hookporter events list");
  expect(listed.text).toContain("that of the project is data/inbox.db");
  expect(listed.text).not.toContain("lead.created");
  const refused = await shell(project, "npx hookporter events drop 1");
  expect(refused.code).toBe(2);
  const typed = [...refused.text.matchAll(/`(npx hookporter events drop 1 --inbox \S+)`/g)].map(
    ([, line = ""]) => line,
  );
  expect(typed.length).toBe(2);
  for (const line of typed) expect(await shell(project, line)).toMatchObject({ code: 0 });

  // README's third task, on the server.
  const [show = "", verify = "", check = ""] = commandsOf("Test");
  expect(await shell(project, show)).toMatchObject({ code: 0 });
  const shown = await shell(project, "npx hookporter events show 1");
  const [signature = ""] = /sha256=[0-9a-f]{64}/.exec(shown.text) ?? [];
  expect(await shell(project, verify.replace("sha256=…", signature))).toMatchObject({ code: 0 });
  expect((await shell(project, verify.replace("sha256=…", `sha256=${"0".repeat(64)}`))).code).toBe(
    4,
  );
  const checked = await shell(project, check.replace("http://localhost:3000/webhooks", url));
  expect(checked, checked.text).toMatchObject({ code: 0 });

  await listen.stop();
  await server.stop();
  expect((await shell(project, "npx hookporter doctor")).code).toBe(0);
});

it("README's tasks run with the server started first, and what listen prints runs where it is printed", {
  timeout: ENOUGH,
}, async () => {
  const project = await makeProject("server-first");
  await startServer(project);
  const url = serverUrl(project);
  const first = await shell(project, `npx hookporter trigger lead.created --wait --url ${url}`);
  expect(first).toMatchObject({ code: 0 });
  expect((await shell(project, "npx hookporter events list")).text).toContain("lead.created");

  const listen = await startListen(project);
  await develop(project);
  const broken = await shell(project, "npx hookporter trigger property.created --data '{}' --wait");
  expect(broken.code).toBe(7);
  const fixes = [
    ...`${broken.text}${listen.printed()}`.matchAll(/npx hookporter events retry \d+[^\n`"]*/g),
  ];
  expect(fixes.length).toBeGreaterThan(0);
  for (const [line] of fixes) expect(await shell(project, line.trim())).toMatchObject({ code: 0 });
  await listen.stop();
  // Also once listen has ended.
  for (const [line] of fixes) expect(await shell(project, line.trim())).toMatchObject({ code: 0 });
  expect((await shell(project, "npx hookporter events list")).text).toContain(
    "a listen that has ended has newer events",
  );
});

it("the secret of a project is rotated as the operations page says", {
  timeout: ENOUGH,
}, async () => {
  const project = await makeProject("rotation");
  const env = join(project, ".env");
  const before = readFileSync(env, "utf8");
  const [, old = ""] = /^HOOKPORTER_SECRET=(.+)$/m.exec(before) ?? [];
  const current = (await shell(project, "openssl rand -hex 32")).text.trim();
  const withBoth = before
    .replace(/^HOOKPORTER_SECRET=.*$/m, `HOOKPORTER_SECRET=${current}`)
    .replace(/^#HOOKPORTER_SECRET_PREVIOUS=$/m, `HOOKPORTER_SECRET_PREVIOUS=${old}`);
  expect(withBoth).toContain(`HOOKPORTER_SECRET_PREVIOUS=${old}`);
  writeFileSync(env, withBoth);
  const server = await startServer(project);
  const url = serverUrl(project);
  for (const flag of ["", "--secret-env HOOKPORTER_SECRET_PREVIOUS"])
    expect(
      await shell(project, `npx hookporter trigger payment.received --url ${url} ${flag}`),
    ).toMatchObject({ code: 0 });
  const doctor = await shell(project, "npx hookporter doctor");
  expect(doctor.text).toMatch(/2 secrets, from .*fingerprint \w{8}, \w{8}/);
  await server.stop();

  writeFileSync(env, before.replace(/^HOOKPORTER_SECRET=.*$/m, `HOOKPORTER_SECRET=${current}`));
  await startServer(project);
  writeFileSync(env, withBoth); // for the commands alone
  expect((await shell(project, `npx hookporter trigger payment.received --url ${url}`)).code).toBe(
    0,
  );
  const late = await shell(
    project,
    `npx hookporter trigger payment.received --url ${url} --secret-env HOOKPORTER_SECRET_PREVIOUS`,
  );
  expect(late).toMatchObject({ code: 1, text: expect.stringContaining("401") });
});
