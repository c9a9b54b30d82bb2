import { spawn } from "node:child_process";
import { copyFileSync, cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, it, onTestFinished, vi } from "vitest";
import { tempFolder } from "../cli/fake-io.ts";
import { startListening } from "../cli/listening.ts";
import { root } from "../docs/markdown.ts";
import { SECRET } from "../receiver/sample.ts";
import { dial, readAll } from "../receiver/wire.ts";
import { signed } from "../signature/diagnose/made.ts";
import { caseTitle } from "./catalogue.ts";
import { nowEnvelope } from "./cli.ts";
import { head } from "./open.ts";

const PATIENCE = { timeout: 40_000, interval: 50 };
const WRONG = { "x-service-signature": `sha256=${"0".repeat(64)}` };

/** Milliseconds after which the share of the time that diagnoses may take is saved up again. */
const SAVED_UP = 1500;
/** The most that an honest delivery may wait, as a multiple of its usual wait. */
const MOST = 2;
/** Milliseconds that count as no wait, on a machine that runs other tests, too. */
const LEAST = 40;

const HOSTILE: Readonly<Record<string, (size: number) => string>> = {
  "tabs between letters": (size) => `a${"\t".repeat(size)}a`,
  "line breaks between letters": (size) => `a${"\n".repeat(size)}a`,
  "spaces in JSON": (size) => `{"a":${" ".repeat(size)}1}`,
  backslashes: (size) => `["${"\\\\".repeat(size / 2)}"]`,
  digits: (size) => `{"a":${"9".repeat(size)}}`,
  "the fraction of a date": (size) => `{"t":"2026-01-01T00:00:00.${"0".repeat(size)}"}`,
  "an entity without end": (size) => `&${"a".repeat(size)}`,
  "many keys": (size) => `{${'"a":1,'.repeat(size / 6)}"a":1}`,
};

it(caseTitle(91, "an honest delivery after it"), async () => {
  const { ready, records } = startListening([]);
  const { post, ask } = await ready();
  const refused = () => records("delivery").filter(({ verdict }) => verdict === "unauthorized");
  const waitOf = async () => {
    const start = performance.now();
    expect((await post(nowEnvelope())).status).toBe(200);
    return performance.now() - start;
  };
  /**
   * The wait of an honest delivery after a hostile one, as a multiple of that of a quiet one; none
   * if there was no search.
   */
  const waitAfter = async (body: string) => {
    await sleep(SAVED_UP);
    const quiet = [];
    for (let count = 0; count < 5; count++) quiet.push(await waitOf());
    const usual = quiet.toSorted((a, b) => a - b)[2] ?? 0;
    const before = refused().length;
    expect((await ask({ headers: WRONG, body: Buffer.from(body) })).status).toBe(401);
    const wait = await waitOf();
    await vi.waitFor(() => expect(refused()).toHaveLength(before + 1), PATIENCE);
    return refused().at(-1)?.diagnosis === "left_out" ? undefined : wait / Math.max(LEAST, usual);
  };
  /** The same, the least of three, since one pause of a busy machine suffices for a single wait. */
  const leastWaitAfter = async (body: string) => {
    let least = Number.POSITIVE_INFINITY;
    for (let tries = 0; tries < 3 && least > MOST; tries++)
      least = Math.min(least, (await waitAfter(body)) ?? Number.POSITIVE_INFINITY);
    return least;
  };
  const slow = [];
  for (const [name, make] of Object.entries(HOSTILE)) {
    for (const size of [160 * 1024, 1024 * 1024 - 100]) {
      const ratio = await leastWaitAfter(make(size));
      if (ratio > MOST) slow.push(`${name}, ${size} bytes: ${ratio.toFixed(1)} times as long`);
    }
  }
  expect(slow).toEqual([]);
}, 300_000);

it(caseTitle(91, "a common cause is found on a busy machine"), async () => {
  const { ready, records } = startListening([]);
  const { ask } = await ready();
  for (let count = 0; count < 4; count++) {
    const busy = spawn(process.execPath, ["-e", "for (;;);"], { stdio: "ignore" });
    onTestFinished(() => void busy.kill("SIGKILL"));
  }
  await sleep(500);
  const body = JSON.stringify(nowEnvelope({ data: { note: "x".repeat(2000) } }));
  const headers = { "x-service-signature": signed(body, `${SECRET}\n`) };
  expect((await ask({ headers, body: Buffer.from(body) })).status).toBe(401);
  const diagnosis = { cause: "secret_whitespace" };
  await vi.waitFor(() => expect(records("delivery")).toMatchObject([{ diagnosis }]), PATIENCE);
}, 120_000);

/** A copy of the package whose thread never ends the diagnosis of the body `endless`. */
function packageWithEndlessThread(): string {
  const folder = join(tempFolder(), "hookporter");
  mkdirSync(folder);
  cpSync(join(root, "dist"), join(folder, "dist"), { recursive: true });
  copyFileSync(join(root, "package.json"), join(folder, "package.json"));
  symlinkSync(join(root, "node_modules"), join(folder, "node_modules"), "junction");
  const standIn = join(root, "test", "cli", "live", "threads", "endless.mjs");
  copyFileSync(standIn, join(folder, "dist", "diagnosis-thread.js"));
  return join(folder, "dist", "bin.js");
}

it(caseTitle(91, "a search that does not end"), async () => {
  const { child, ready, records, ended } = startListening([], { bin: packageWithEndlessThread() });
  const { post, ask } = await ready();
  const refuse = (body: string) => ask({ headers: WRONG, body: Buffer.from(body) });
  const diagnoses = () => records("delivery").flatMap(({ diagnosis }) => diagnosis ?? []);
  expect((await refuse("endless")).status).toBe(401);
  expect((await post(nowEnvelope())).status).toBe(200);
  await vi.waitFor(
    () => expect(records("delivery")).toMatchObject([{ verdict: "accepted" }]),
    PATIENCE,
  );
  await vi.waitFor(() => expect(diagnoses()).toEqual(["took_too_long"]), PATIENCE);
  // Once the time that it took is saved up again.
  await vi.waitFor(
    async () => {
      await refuse("next");
      expect(diagnoses().at(-1)).toMatchObject({ cause: "unexplained", advice: ["next"] });
    },
    { ...PATIENCE, interval: 500 },
  );
  await sleep(SAVED_UP);
  expect((await refuse("endless")).status).toBe(401);
  child.kill("SIGINT");
  expect(await ended).toBe(0);
  expect(records("delivery").at(-1)).toMatchObject({ verdict: "unauthorized", diagnosis: null });
}, 120_000);

it(caseTitle(92), async () => {
  const cwd = tempFolder();
  const used = 'import { writeFileSync } from "node:fs";\n';
  writeFileSync(
    join(cwd, "h.js"),
    `${used}export default { "*": () => writeFileSync("used", JSON.stringify(process.cpuUsage())) };`,
  );
  const { ready, records } = startListening(["--handlers", "h.js"], { cwd });
  const { localUrl, post } = await ready();
  /** Milliseconds of processor time that it has used so far. */
  const processorTime = async () => {
    const handled = () => records("attempt").length;
    const before = handled();
    expect((await post(nowEnvelope())).status).toBe(200);
    await vi.waitFor(() => expect(handled()).toBe(before + 1), PATIENCE);
    const { user, system } = JSON.parse(readFileSync(join(cwd, "used"), "utf8"));
    return (user + system) / 1000;
  };
  const costOf = async (request: string) => {
    const before = await processorTime();
    for (let count = 0; count < 10; count++) {
      const socket = await dial(localUrl);
      socket.write(request);
      expect(String(await readAll(socket))).toMatch(/^HTTP\/1\.1 40[14] /);
    }
    return (await processorTime()) - before;
  };
  const close = { connection: "close" };
  const many = Array.from({ length: 1500 }, (_, index) => [`t${index.toString(36)}`, "a"]);
  await costOf(head(close, `POST /${"a".repeat(15_000)}`)); // warm up
  const plain = Math.max(100, await costOf(head(close, `POST /${"a".repeat(15_000)}`)));
  const costs = {
    colons: await costOf(head(close, `POST x://${":".repeat(15_000)}`)),
    "at signs": await costOf(head(close, `POST x://${"@:".repeat(7500)}`)),
    parameters: await costOf(head(close, `POST /webhooks?${"a=&".repeat(5000)}`)),
    spaces: await costOf(head({ ...close, "x-service-signature": `a${" ,".repeat(7000)}a` })),
    headers: await costOf(head({ ...close, ...Object.fromEntries(many), "x-other": "sha256=" })),
  };
  for (const [name, cost] of Object.entries(costs))
    expect([name, cost / plain < 5]).toEqual([name, true]);
}, 120_000);
