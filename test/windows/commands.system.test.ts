import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createContext } from "../../src/cli/context.ts";
import { createProgram } from "../../src/cli/program.ts";
import { commandName, leaves } from "../../src/cli/settings/command-tree.ts";
import { fakeIo } from "../cli/fake-io.ts";
import { nowEnvelope } from "../hostile/cli.ts";
import { KEY } from "../service/client/service.ts";
import {
  listenOnWindows,
  missing,
  OnWindows,
  runOnWindows,
  startOnWindows,
  windowsPath,
} from "./wine.ts";

const HANDLERS = `export default { "*": (event: { data: { fails?: boolean } }) => {
  if (event.data.fails) throw new Error("it fails");
} };`;

const ran = new Set<string>();

describe.skipIf(missing !== undefined)("on Windows, the command", { timeout: 180_000 }, () => {
  let cwd: string;

  beforeAll(() => {
    cwd = join(mkdtempSync(join(tmpdir(), "hookporter-windows-")), "my project (é)");
    mkdirSync(cwd);
    writeFileSync(join(cwd, "h.ts"), HANDLERS.replaceAll("\n", "\r\n"));
    writeFileSync(join(cwd, ".env"), "# made on Windows\r\nHOOKPORTER_PATH=/in\r\n");
  });

  afterAll(() => rmSync(dirname(cwd), { recursive: true }));

  const listen = () => listenOnWindows(["--handlers", ".\\h.ts"], { cwd });

  /** Runs a command; returns its records. */
  async function run(
    words: string,
    argv: readonly string[] = [],
    { code = 0, input = "/dev/null" } = {},
  ) {
    ran.add(words);
    const ended = await runOnWindows([...words.split(" "), ...argv, "--json"], { cwd, input });
    expect(ended.code, ended.stdout + ended.stderr).toBe(code);
    return ended.stdout
      .split("\n")
      .flatMap((line) => (line.startsWith("{") ? [JSON.parse(line)] : []));
  }

  it("of each part of the loop works: trigger, wait, list, show, retry, drop, doctor, check", async () => {
    const receiver = await listen();
    ran.add("listen");
    const url = String(receiver.ready.url);
    expect(url).toMatch(/\/in$/); // from .env, with lines as Windows ends them
    await run("trigger", ["payment.received", "--url", url, "--set", "data.note=Zoë's"]);
    await run("trigger", ["payment.received", "--url", url, "--set", "data.fails=true"]);
    const both = ["--after", "0", "--count", "2", "--state", "handled,failing"];
    const outcomes = await run("events wait", both, { code: 7 });
    expect(outcomes).toMatchObject([{ state: "handled" }, { state: "failing", at: "h.ts:2:31" }]);
    expect(await run("events list")).toHaveLength(2);
    expect(await run("events show", ["1"])).not.toEqual([]);
    await run("events retry", ["1"]);
    await run("events drop", ["2"]);
    await run("check", [url, "--only", "SIG"]);
    expect(await receiver.interrupt()).toBe(0);
    // beside a receiver, it would ask that with `fetch`, which Wine does not connect
    await run("doctor");
  });

  it("for entries takes paths of Windows: export, replay, scrub, types", async () => {
    const folder = `out\\${"a long name ".repeat(8)}\\é`;
    await run("events export", ["--to", folder, "--kind", "payment.*"]);
    const here = join(cwd, ...folder.split("\\"));
    const names = readdirSync(here);
    const receiver = await listen();
    const url = String(receiver.ready.url);
    const again = await run("replay", [windowsPath(here), "--url", url, "--exact"]);
    expect(again.map(({ body }) => JSON.parse(body).duplicate)).toEqual([true, true]);
    await run("replay", [`${folder}\\${names[0]}`, "--url", url]);
    expect(await receiver.interrupt()).toBe(0);
    await run("fixtures scrub", [folder, "--to", "scrubbed\\too"]);
    expect(readdirSync(join(cwd, "scrubbed", "too"))).toHaveLength(names.length);
    await run("types", [folder, "--with-samples", "--out", "src\\schemas.ts"]);
    expect(readFileSync(join(cwd, "src", "schemas.ts"), "utf8")).toContain("payment.received");
  });

  it("for bytes reads them as they are, with the ends of lines that Windows has: sign, verify", async () => {
    const body = JSON.stringify(nowEnvelope(), undefined, 2).replaceAll("\n", "\r\n");
    const file = join(cwd, "body.json");
    writeFileSync(file, body);
    const [{ signature }] = await run("sign", ["body.json"]);
    await run("verify", [".\\body.json", "--signature", signature]);
    await run("verify", ["--signature", signature], { input: file });
    writeFileSync(file, body.replaceAll("\r\n", "\n"));
    await run("verify", ["body.json", "--signature", signature], { code: 4 });
  });

  it("for the file works: backup, check, copy, vacuum, pause, resume, erase, prune, migrate", async () => {
    const receiver = await listen();
    await run("events backup", ["backup.db"]);
    await run("events backup", ["backup.db"], { code: 2 });
    const holding = `import { DatabaseSync } from "node:sqlite"; import { existsSync, writeFileSync } from "node:fs";
      const database = new DatabaseSync("backup.db"); database.exec("SELECT 1 FROM sqlite_schema");
      writeFileSync("held", ""); setInterval(() => existsSync("free") && process.exit(), 20);`;
    writeFileSync(join(cwd, "holding.mjs"), holding);
    const holder = new OnWindows(["holding.mjs"], { cwd });
    await holder.untilFile(join(cwd, "held"));
    const refused = await runOnWindows(["events", "backup", "backup.db", "--force"], { cwd });
    expect(refused).toMatchObject({
      code: 3,
      stderr: expect.stringContaining("close the program"),
    });
    expect(readdirSync(cwd).filter((name) => name.startsWith("backup.db"))).toEqual(["backup.db"]);
    setTimeout(() => writeFileSync(join(cwd, "free"), ""), 100);
    await holder.ended;
    await run("events backup", ["backup.db", "--force"]);
    await run("inbox check", ["--inbox", "backup.db"]);
    await run("inbox copy", ["backup.db", "copy.db"]);
    await run("inbox vacuum", [], { code: 3 }); // in use
    expect(await receiver.interrupt()).toBe(0);
    await run("inbox vacuum");
    await run("events pause", ["--kind", "lead.created"]);
    await run("events resume", ["--kind", "lead.created"]);
    await run("events erase", ["1", "--yes"]);
    await run("events prune", ["--older-than", "8d"]);
    await run("inbox migrate", ["--inbox", "postgres://127.0.0.1/app", "--print", "--all"]);
  });

  it("for the service works: sandbox, properties, subscribe", async () => {
    const sandbox = startOnWindows(["sandbox", "--json", "--port", "0"], { cwd });
    const { url } = await sandbox.until("sandbox");
    ran.add("sandbox");
    writeFileSync(join(cwd, "key.env"), `HOOKPORTER_API_KEY=${KEY}\r\n`);
    // In Debian 12's Wine, no `fetch` of Node connects: there, the commands say so.
    const probe = new OnWindows(["-e", `fetch("${url}").catch(() => process.exit(1))`], { cwd });
    const code = (await probe.ended) === 0 ? 0 : 5;
    const envFile = "key.env";
    const config = { properties: { envFile }, subscribe: { envFile } };
    writeFileSync(join(cwd, "hookporter.config.json"), JSON.stringify(config));
    await run("properties", ["--base-url", String(url)], { code });
    await run("subscribe", ["http://127.0.0.1:1/in", "--base-url", String(url)], { code });
    expect(await sandbox.interrupt()).toBe(0);
  });

  it("for an agent and a shell works: mcp, completion", async () => {
    const call = { jsonrpc: "2.0", id: 1, method: "initialize" };
    const params = {
      protocolVersion: "2025-06-18",
      capabilities: {},
      clientInfo: { name: "t", version: "1" },
    };
    writeFileSync(join(cwd, "call"), `${JSON.stringify({ ...call, params })}\n`);
    ran.add("mcp");
    const served = await runOnWindows(["mcp"], { cwd, input: join(cwd, "call") });
    expect(JSON.parse(served.stdout.split("\n")[0] ?? "")).toMatchObject({ id: 1, result: {} });
    await run("completion", ["powershell"]);
    await run("trust");
  });

  it("that is wrong ends with the exit code of every system", async () => {
    await run("events show", ["999"], { code: 2 });
    await run("trigger", ["payment.received", "--url", "http://127.0.0.1:1/in"], { code: 5 });
    await run("events wait", ["--timeout", "100ms"], { code: 6 });
    await run("inbox check", ["--inbox", "none.db"], { code: 3 });
  });

  it("of every name was run, but init, which has its own test", () => {
    const names = leaves(createProgram(createContext(fakeIo({}).io))).map(commandName);
    expect(names.filter((name) => !ran.has(name))).toEqual(["init"]);
  });
});
