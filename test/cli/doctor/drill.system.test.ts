import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { folderWith } from "../folder-with.ts";
import { describeOnServer } from "../inbox/on-server.ts";

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

/** Starts `doctor --drill` in a folder of its own. */
function start(line = "", env: Readonly<Record<string, string>> = {}, files = {}) {
  const cwd = folderWith(files);
  const { HOOKPORTER_INBOX: _, ...rest } = process.env;
  const argv = [BIN, "doctor", "--drill", ...line.split(" ").filter(Boolean)];
  const child = spawn(process.execPath, argv, { cwd, env: { ...rest, ...env } });
  let stdout = "";
  let stderr = "";
  child.stdout.on("data", (chunk) => {
    stdout += chunk;
  });
  child.stderr.on("data", (chunk) => {
    stderr += chunk;
  });
  const ended = once(child, "close").then(([code]) => {
    const records = stdout.split("\n").filter((text) => text.startsWith("{"));
    const [counts, finding] = records.map((text) => JSON.parse(text));
    return { code, output: stderr + stdout, counts, finding };
  });
  return { child, cwd, ended };
}

describe("doctor --drill", () => {
  it("kills receivers, counts what became of each event, and leaves nothing behind", async () => {
    const { cwd, ended } = start("--json", { HOOKPORTER_KILLS: "3" });
    const { code, output, counts, finding } = await ended;
    expect(code, output).toBe(0);
    const none = { lost: 0, stuck: 0, dead: 0, runTwiceAtOnce: 0 };
    expect(counts).toMatchObject({ type: "drill", kills: 3, ...none });
    expect(counts.acknowledged).toBeGreaterThan(0);
    expect(finding).toMatchObject({ type: "finding", check: "drill", status: "ok", fix: null });
    expect(finding.message).toContain(`: ${counts.acknowledged} acknowledged, 0 lost, 0 stuck, `);
    expect(readdirSync(cwd)).toEqual([]);
  });

  it("fails if an acknowledged event was lost", async () => {
    const env = { NODE_OPTIONS: `--import data:text/javascript,${encodeURIComponent(LOSSY)}` };
    const { code, output, counts, finding } = await start("--json", {
      ...env,
      HOOKPORTER_KILLS: "1",
    }).ended;
    expect(code, output).toBe(1);
    expect(counts.lost).toBeGreaterThan(0);
    const fix = expect.stringContaining("report this as a bug");
    expect(finding).toMatchObject({ status: "fail", fix });
  });

  it("runs the user's own handlers only if allowed, and says what they did", async () => {
    const files = { "failing.mjs": 'export default { "*": () => { throw new Error("x"); } };' };
    const drill = (flags: string) =>
      start(`--handlers failing.mjs${flags}`, { HOOKPORTER_KILLS: "1" }, files).ended;
    const refused = await drill("");
    expect(refused.code).toBe(2);
    expect(refused.output).toContain("expected --yes with --drill --handlers");
    const { code, counts, finding } = await drill(" --yes --json");
    expect(code).toBe(0);
    expect(counts).toMatchObject({ lost: 0, stuck: counts.acknowledged });
    expect(finding).toMatchObject({ status: "warn", fix: "look at the errors of your handlers" });
  });

  it("ends its receiver and removes its folder if it is stopped", async () => {
    const { child, cwd, ended } = start();
    while (readdirSync(cwd).length === 0) await wait(20);
    await wait(1500);
    child.kill("SIGTERM");
    expect((await ended).code).toBe(143);
    expect(readdirSync(cwd)).toEqual([]);
  });
});

describeOnServer("doctor --drill on PostgreSQL", {}, ({ server, admin }) => {
  it("uses a schema of its own, and drops it", async () => {
    const schemas = async () =>
      (await admin.query("SELECT nspname FROM pg_namespace ORDER BY 1")).rows;
    const before = await schemas();
    const { cwd, ended } = start("--json", { HOOKPORTER_INBOX: server.url, HOOKPORTER_KILLS: "2" });
    const { code, output, counts } = await ended;
    expect(code, output).toBe(0);
    expect(counts).toMatchObject({ kills: 2, lost: 0, stuck: 0, runTwiceAtOnce: 0 });
    expect(counts.acknowledged).toBeGreaterThan(0);
    expect(await schemas()).toEqual(before);
    expect(readdirSync(cwd)).toEqual([]);
  });
});
