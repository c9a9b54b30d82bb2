import { spawn } from "node:child_process";
import { once } from "node:events";
import { appendFileSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it, onTestFinished, vi } from "vitest";
import { sampleEvent, signedRequest } from "../../src/entries/testing.ts";
import { type Packed, packPackage } from "../cli/scaffold/packed.ts";
import { codeOf, readPage, root } from "../docs/markdown.ts";
import { closedPort } from "../relay/tunnel/machine.ts";

const ENOUGH = 600_000;

/**
 * The examples of one process, and with what code they end on SIGTERM; test/fleet/ runs the other
 * example.
 */
const EXAMPLES = [
  { name: "express", ready: "listening on", exit: 0 },
  { name: "nextjs", ready: "Ready in", exit: 143 }, // as Next.js itself ends
] as const;

let packed: Packed;

beforeAll(async () => {
  packed = await packPackage();
}, ENOUGH);

afterAll(() => packed.remove(), ENOUGH);

it("every example has a page and a test", () => {
  const names = readdirSync(join(root, "examples"));
  expect(names.sort()).toEqual([...EXAMPLES.map(({ name }) => name), "fleet"].sort());
  for (const name of names) expect(readPage(`examples/${name}/README.md`)).toContain("```sh\n");
});

it.each(EXAMPLES)(
  "the example $name works as its page says, and receives each signed delivery once",
  { timeout: ENOUGH },
  async ({ name, ready, exit }) => {
    const project = packed.copyExample(name);
    const [prepare = "", use = ""] = codeOf(readPage(`examples/${name}/README.md`), "sh");
    expect(prepare).toMatch(/\nnpm start\n$/);
    await shell(project, prepare.replace(/npm start\n$/, ""));

    const port = await closedPort();
    const file = join(project, ".env");
    appendFileSync(file, `PORT=${port}\n`); // where the commands look for the server
    const stop = await start(project, port, ready);
    const printed = await shell(project, use.replaceAll(":3000/", `:${port}/`));
    expect(printed).toMatch(/^200 payment\.received .*new/m);
    expect(printed).toMatch(/#1 .* handled +payment\.received/);
    if (name === "express") expect(printed).toContain('"amount":"1450.00"');

    const url = `http://127.0.0.1:${port}/webhooks`;
    const [, secret = ""] = /^HOOKPORTER_SECRET=(.+)$/m.exec(readFileSync(file, "utf8")) ?? [];
    const request = signedRequest(sampleEvent("property.created"), { secret });
    for (const duplicate of [false, true])
      expect(await (await fetch(url, request)).json()).toMatchObject({ received: true, duplicate });
    expect((await fetch(url, { ...request, headers: {} })).status).toBe(401);
    expect(await stop()).toBe(exit);
  },
);

/** Runs lines as a shell in the project would; returns what they print, or rejects if one fails. */
async function shell(project: string, lines: string): Promise<string> {
  const settings =
    "export npm_config_prefer_offline=true npm_config_audit=false npm_config_fund=false";
  const { stdout, stderr } = await packed.run(project, "bash", "-ec", `${settings}\n${lines}`);
  return stdout + stderr;
}

/**
 * Starts the server as `npm start` does, but not through npm, which does not pass signals on. The
 * result ends it.
 */
async function start(project: string, port: number, ready: string) {
  const { scripts } = JSON.parse(readFileSync(join(project, "package.json"), "utf8"));
  const path = `${join(project, "node_modules", ".bin")}:${packed.env.PATH}`;
  const server = spawn("bash", ["-c", `exec ${scripts.start}`], {
    cwd: project,
    env: { ...packed.env, PATH: path, PORT: String(port) } as NodeJS.ProcessEnv,
    stdio: "pipe",
  });
  const exited = once(server, "exit");
  onTestFinished(() => void server.kill("SIGKILL"));
  let printed = "";
  const note = (chunk: Buffer) => {
    printed += chunk;
  };
  server.stdout.on("data", note);
  server.stderr.on("data", note);
  await vi.waitFor(() => expect(printed).toContain(ready), { timeout: 60_000, interval: 100 });
  return async () => {
    server.kill("SIGTERM");
    const [code] = await exited;
    return code;
  };
}
