import { execFile, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { createJiti } from "jiti";
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from "vitest";
import { readPage, root } from "../docs/markdown.ts";

/** The last commit of version 0.2. */
const EARLIER = "a1fc3ec";
const modules = join(root, "node_modules");
const place = mkdtempSync(join(tmpdir(), "hookporter-from-0.2-"));
const project = join(place, "project");
const execute = promisify(execFile);
const isKnown = unpackEarlier();
if (!isKnown) it.skip("needs the history of the repository, for version 0.2", () => {});
afterAll(() => rmSync(place, { recursive: true, force: true }));

/** Unpacks version 0.2 from the repository's history; `false` in a clone without it. */
function unpackEarlier(): boolean {
  const earlier = join(place, "earlier");
  mkdirSync(earlier);
  try {
    const archive = execFileSync("git", ["archive", EARLIER, "src", "templates", "package.json"], {
      ...{ cwd: root, maxBuffer: 2 ** 28 },
      stdio: ["ignore", "pipe", "ignore"],
    });
    execFileSync("tar", ["-x", "-C", earlier], { input: archive });
  } catch {
    return false;
  }
  symlinkSync(modules, join(earlier, "node_modules"));
  return true;
}

/** Runs a program in the project; rejects with its output if it fails. */
async function run(...[program, ...argv]: readonly [string, ...string[]]): Promise<void> {
  await execute(program, argv, { cwd: project }).catch(({ stdout, stderr }) => {
    throw new Error(`${stdout}${stderr}`);
  });
}

describe.skipIf(!isKnown)("a project of 0.2", () => {
  beforeAll(async () => {
    const file = join(place, "earlier", "src", "scaffold", "scaffold.ts");
    const { scaffold } = await createJiti(import.meta.url).import<{ scaffold(terms: object): Promise<void> }>(
      file,
    );
    await scaffold({ directory: project, template: "express" });
    const { dependencies, devDependencies } = JSON.parse(readFileSync(join(project, "package.json"), "utf8"));
    for (const name of Object.keys({ ...dependencies, ...devDependencies })) {
      const target = join(project, "node_modules", name);
      mkdirSync(dirname(target), { recursive: true });
      symlinkSync(name === "hookporter" ? root : join(modules, name), target, "junction");
    }
  });

  it("compiles, passes its tests and starts once the commands of the upgrade guide have run", {
    timeout: 180_000,
  }, async () => {
    const commands = readPage("docs/guides/upgrade.md").match(/(?<=`)sed -i [^`]+/g) ?? [];
    expect(commands.length).toBeGreaterThan(5);
    for (const command of commands) await run("sh", "-c", `${command} src/*.ts src/*/*.ts test/*.ts`);
    const tsc = join(modules, "typescript", "bin", "tsc");
    await run(process.execPath, tsc);
    await run(process.execPath, join(modules, "vitest", "vitest.mjs"), "run");
    await run(process.execPath, tsc, "-p", "tsconfig.build.json");
    const env = { ...process.env, PORT: "0", METRICS_PORT: "0", HOOKPORTER_INBOX: "memory:" };
    const server = spawn(process.execPath, ["dist/server.js"], { cwd: project, env });
    onTestFinished(() => void server.kill("SIGKILL"));
    let printed = "";
    for (const stream of [server.stdout, server.stderr]) stream.on("data", (chunk) => (printed += chunk));
    await vi.waitFor(() => expect(printed).toContain('"message":"listening"'), {
      timeout: 30_000,
      interval: 50,
    });
    const exited = once(server, "exit");
    server.kill("SIGTERM");
    expect(await exited).toEqual([0, null]);
  });
});
