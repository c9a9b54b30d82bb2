import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { openServer } from "../../inbox/postgres/schemas.ts";
import { NO_SERVER } from "../../inbox/postgres/server.ts";

const BIN = join(import.meta.dirname, "..", "..", "..", "dist", "bin.js");

/** Answers some deliveries before the receiver sees them. */
const LOSSY = `
  import { Server } from "node:http";
  const { emit } = Server.prototype;
  let count = 0;
  Server.prototype.emit = function (name, request, response) {
    if (name !== "request" || ++count % 3 > 0) return emit.apply(this, arguments);
    request.resume();
    response.end('{"received":true}');
    return true;
  };`;

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "hookporter-drilled-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Starts `doctor --drill` in a folder. */
function start(cwd: string, argv: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const { HOOKPORTER_INBOX: _, ...rest } = process.env;
  const child = spawn(process.execPath, [BIN, "doctor", "--drill", ...argv], {
    cwd,
    env: { ...rest, ...env },
  });
  let stdout = "";
  let stderr = "";
  child.stdout.on("data", (chunk) => {
    stdout += chunk;
  });
  child.stderr.on("data", (chunk) => {
    stderr += chunk;
  });
  return { child, ended: once(child, "close").then(([code]) => ({ code, stdout, stderr })) };
}

const records = (stdout: string) =>
  stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));

describe("doctor --drill", () => {
  it("kills receivers, counts what became of each event, and leaves nothing behind", async () => {
    const folder = newFolder();
    const { code, stdout, stderr } = await start(folder, ["--kills", "3", "--json"]).ended;
    expect(code, stderr + stdout).toBe(0);
    const [counts, finding] = records(stdout);
    expect(counts).toMatchObject({
      type: "drill",
      kills: 3,
      lost: 0,
      stuck: 0,
      dead: 0,
      runTwiceAtOnce: 0,
    });
    expect(counts.acknowledged).toBeGreaterThan(0);
    expect(finding).toMatchObject({ type: "finding", check: "drill", status: "ok", fix: null });
    expect(finding.message).toContain(`: ${counts.acknowledged} acknowledged, 0 lost, 0 stuck, `);
    expect(readdirSync(folder)).toEqual([]);
  });

  it("fails if an acknowledged event was lost", async () => {
    const folder = newFolder();
    const env = { NODE_OPTIONS: `--import data:text/javascript,${encodeURIComponent(LOSSY)}` };
    const { code, stdout } = await start(folder, ["--kills", "1", "--json"], env).ended;
    expect(code, stdout).toBe(1);
    const [counts, finding] = records(stdout);
    expect(counts.lost).toBeGreaterThan(0);
    expect(finding).toMatchObject({
      status: "fail",
      fix: expect.stringContaining("report this as a bug"),
    });
  });

  it("runs the user's own handlers only if allowed, and says what they did", async () => {
    const folder = newFolder();
    writeFileSync(
      join(folder, "failing.mjs"),
      'export default { "*": () => { throw new Error("x"); } };',
    );
    const handlers = ["--handlers", "failing.mjs"];
    const refused = await start(folder, handlers).ended;
    expect(refused).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("expected --yes with --drill --handlers"),
    });
    const { code, stdout } = await start(folder, [...handlers, "--yes", "--kills", "1", "--json"])
      .ended;
    expect(code).toBe(0);
    const [counts, finding] = records(stdout);
    expect(counts).toMatchObject({ lost: 0, stuck: counts.acknowledged });
    expect(finding).toMatchObject({ status: "warn", fix: "look at the errors of your handlers" });
  });

  it("ends its receiver and removes its folder if it is stopped", async () => {
    const folder = newFolder();
    const { child, ended } = start(folder, []);
    while (readdirSync(folder).length === 0)
      await new Promise((resolve) => setTimeout(resolve, 20));
    await new Promise((resolve) => setTimeout(resolve, 1500));
    child.kill("SIGTERM");
    expect((await ended).code).toBe(143);
    expect(readdirSync(folder)).toEqual([]);
  });
});

describe("doctor --drill on PostgreSQL", async () => {
  if (NO_SERVER !== undefined) {
    it.skip(NO_SERVER, () => {});
    return;
  }
  const { server, admin } = await openServer();

  it("uses a schema of its own, and drops it", async () => {
    const schemas = async () =>
      (await admin.query("SELECT nspname FROM pg_namespace ORDER BY 1")).rows;
    const before = await schemas();
    const folder = newFolder();
    const env = { HOOKPORTER_INBOX: server.url };
    const { code, stdout, stderr } = await start(folder, ["--kills", "2", "--json"], env).ended;
    expect(code, stderr + stdout).toBe(0);
    const [counts] = records(stdout);
    expect(counts).toMatchObject({ kills: 2, lost: 0, stuck: 0, runTwiceAtOnce: 0 });
    expect(counts.acknowledged).toBeGreaterThan(0);
    expect(await schemas()).toEqual(before);
    expect(readdirSync(folder)).toEqual([]);
  });
});
