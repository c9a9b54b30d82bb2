import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, vi } from "vitest";
import { tempFolder } from "../cli/fake-io.ts";
import { nowEnvelope } from "../hostile/cli.ts";
import { listenOnWindows, missing, runOnWindows, startOnWindows, windowsPath } from "./wine.ts";

const PATIENCE = { timeout: 60_000, interval: 50 };

/**
 * A folder with a batch file in `PATH` that notes its arguments and its input, and what starts it
 * there.
 */
function withBatchFile(): { readonly cwd: string; readonly programs: string } {
  const cwd = join(tempFolder(), "my app (é)");
  const programs = join(cwd, "programs & more");
  mkdirSync(programs, { recursive: true });
  writeFileSync(
    join(programs, "note.mjs"),
    `import { appendFileSync, readFileSync } from "node:fs";
const { HOOKPORTER_EVENT_KIND: kind, HOOKPORTER_DEAD_COUNT: count, HOOKPORTER_SECRET: secret } = process.env;
const line = { argv: process.argv.slice(2), kind, count, secret, bytes: readFileSync(0).length };
appendFileSync("noted", JSON.stringify(line) + "\\n");
process.exit(line.argv[0] === "fail" ? 3 : 0);`,
  );
  writeFileSync(join(programs, "note.cmd"), '@echo off\r\nnode "%~dp0note.mjs" %*\r\n');
  return { cwd, programs };
}

const noted = (cwd: string) =>
  readFileSync(join(cwd, "noted"), "utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));

describe.skipIf(missing !== undefined)("on Windows,", { timeout: 180_000 }, () => {
  it("--exec and --on-dead run batch files, with each argument as it was given", async () => {
    const { cwd, programs } = withBatchFile();
    const argv = ["--exec", 'note "a & b" ^(c)! x\\y', "--on-dead", "note.cmd dead"];
    const listen = await listenOnWindows(argv, { cwd, programs });
    const envelope = nowEnvelope();
    await listen.post(envelope);
    await listen.until("attempt", ({ state }) => state === "handled");
    const bytes = Buffer.byteLength(JSON.stringify(envelope));
    const given = ["a & b", "^(c)!", "x\\y"];
    expect(noted(cwd)).toEqual([{ argv: given, kind: "payment.received", bytes }]);
    await listen.post("not JSON");
    await vi.waitFor(
      () => expect(noted(cwd).at(-1)).toMatchObject({ argv: ["dead"], count: "1" }),
      PATIENCE,
    );
    expect(await listen.interrupt()).toBe(0);
  });

  it("what a batch file cannot be given is refused at the start, and so is a program that is not there", async () => {
    const { cwd, programs } = withBatchFile();
    for (const [command, said] of [
      ["note %PATH%", "which cmd.exe changes"],
      ["none", "no executable file in PATH"],
      ["note.mjs", "no executable file in PATH"],
    ] as const) {
      const { code, stderr } = await runOnWindows(["listen", "--exec", command], { cwd, programs });
      expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining(said) });
    }
  });

  it("handlers are loaded again when they change, and errors name their places", async () => {
    const cwd = join(tempFolder(), "my app (é)");
    const handlers = join(cwd, "handlers");
    mkdirSync(handlers, { recursive: true });
    const write = (code: string) =>
      writeFileSync(join(handlers, "pay.ts"), code.replaceAll("\n", "\r\n"));
    const wrap = (code: string) => `type Amount = string;\nexport default {\n  "*": ${code} };\n`;
    write(wrap('async () => { await 0; throw new Error("first"); }'));
    const listen = await listenOnWindows(["--handlers", windowsPath(handlers).toLowerCase()], {
      cwd,
    });
    await listen.post(nowEnvelope());
    await listen.until("attempt", ({ runs }) =>
      JSON.stringify(runs).includes(`handlers\\\\pay.ts:3:`),
    );
    write(wrap("async (event, { attempt }) => {}"));
    await listen.until("attempt", ({ state }) => state === "handled");
    write(wrap("() => process.exit(0)"));
    await vi.waitFor(
      () => expect(listen.stderr.split("handlers reloaded")).toHaveLength(3),
      PATIENCE,
    );
    await listen.post(nowEnvelope()).catch(() => {});
    expect(await listen.ended).toBe(1);
    expect(listen.stderr).toContain(
      `process.exit(0) at ${windowsPath(join(handlers, "pay.ts"))}:3`,
    );
  });

  it.each(["Ctrl-C", "kill"])("a tunnel's program ends with its receiver: %s", async (how) => {
    const cwd = tempFolder();
    writeFileSync(
      join(cwd, "tunnel.mjs"),
      `import { writeFileSync } from "node:fs";
console.log("https://" + process.argv[2] + ".tunnel.example");
setInterval(() => writeFileSync("alive", String(Date.now())), 50);`,
    );
    const tunnel = ["--tunnel", "command", "--tunnel-command", "node.exe tunnel.mjs {port}"];
    const tunnelUrlPattern = "https://\\S+";
    writeFileSync(join(cwd, "hookporter.config.json"), JSON.stringify({ tunnelUrlPattern }));
    const listen = startOnWindows(["listen", "--json", "--port", "0", "--no-inspect", ...tunnel], {
      cwd,
    });
    await listen.untilFile(join(cwd, "alive"));
    if (how === "kill") await listen.kill();
    else expect(await listen.interrupt()).toBe(0);
    const beat = () => readFileSync(join(cwd, "alive"), "utf8");
    await vi.waitFor(async () => {
      const before = beat();
      await new Promise((resolve) => setTimeout(resolve, 1000));
      expect(beat()).toBe(before);
    }, PATIENCE);
  });

  it("the inspector's door opens with its token only, and the state files hold none of it", async () => {
    const cwd = tempFolder();
    const listen = await listenOnWindows([], { cwd });
    const inspector = new URL(String(listen.ready.inspectorLoopback));
    const token = inspector.hash.replace("#token=", "");
    const ask = async (authorization?: string) =>
      (
        await fetch(new URL("/api/status", inspector), {
          headers: authorization ? { authorization } : {},
        })
      ).status;
    expect([await ask(), await ask("Bearer x"), await ask(`Bearer ${token}`)]).toEqual([
      401, 401, 200,
    ]);
    const page = await fetch(new URL("/", inspector));
    expect(await page.text()).toContain("<!doctype html>");
    const state = join(cwd, ".hookporter");
    const files = readdirSync(state, { recursive: true, withFileTypes: true }).filter((dirent) =>
      dirent.isFile(),
    );
    for (const { name, parentPath } of files.filter((file) => !file.name.startsWith("inbox.db")))
      expect(readFileSync(join(parentPath, name), "utf8")).not.toContain(token);
    expect(await listen.interrupt()).toBe(0);
  });
});
