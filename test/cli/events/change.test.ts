import { expect, it, vi } from "vitest";
import { awayTarget, startReceiving } from "../fake-target.ts";
import { cliIn } from "../inbox-folder.ts";
import { listening } from "../open-listen.ts";

const WAIT = { timeout: 20_000, interval: 10 };
const WAITS = "waiting target_away";
const DROPPED = "dead dropped";

/** A folder with an inbox in which three events wait for a target that is down, and its address. */
async function threeWaiting() {
  const app = await awayTarget();
  const { url, cwd, records, stop } = await listening(["--forward-to", app.url]);
  const cli = cliIn(cwd);
  for (const kind of ["lead.created", "payment.received", "payment.overdue"])
    await cli(`trigger ${kind} --url ${url}`);
  await vi.waitFor(() => expect(records("attempt").length).toBeGreaterThan(0), WAIT);
  await stop();
  const states = async () =>
    (await cli("events list --json")).records.map(({ state, reason }) => `${state} ${reason}`);
  const out = async (line: string) => (await cli(`events ${line}`)).stdout;
  return { cwd, cli, states, out, target: app.url, port: new URL(app.url).port };
}

it("entries are listed with the target that they wait for, and selected by it", async () => {
  const { cli, out, target, port } = await threeWaiting();
  const all = await out("list");
  expect(all.match(new RegExp(`target_away.*waits for ${target}`, "g"))).toHaveLength(3);
  const list = async (of: string) => (await cli(`events list --json --target ${of}`)).records;
  expect(await list(port)).toHaveLength(3);
  expect(await list(target)).toHaveLength(3);
  expect(await list(`${port}/other`)).toEqual([]);
  expect(await out("show 1")).toMatch(/waits since .*Z, \d failed attempt/);
  const dry = (of: string) => cli(`events retry --target ${of} --dry-run`);
  const found = await dry(port);
  expect([found.stdout, found.stderr]).toEqual(["3 entries would be retried, #1 to #3\n", ""]);
  expect((await dry("1")).stderr).toContain("entries wait for ");
  const drop = await cli("events drop --target 1");
  expect(drop.stdout).toBe("0 dropped\n");
  expect(drop.stderr).toContain(`entries wait for ${target} (3)`);
});

it("events drop lets entries go: by number, by kind, by target, and not twice", async () => {
  const { cli, port, states } = await threeWaiting();
  const drop = (flags: string) => cli(`events drop ${flags} --json`);
  expect((await drop("1")).records).toMatchObject([{ type: "drop", dropped: 1 }]);
  expect(await states()).toEqual([DROPPED, WAITS, WAITS]);
  const again = await drop("1");
  expect([again.code, again.records[0]?.dropped]).toEqual([0, 0]);
  expect(again.stderr).toContain("#1 is dead");
  const one = await drop(`--target ${port} --kind payment.received`);
  expect(one.records).toMatchObject([{ dropped: 1 }]);
  expect((await drop("--all")).records).toMatchObject([{ dropped: 1 }]);
  expect(await states()).toEqual([DROPPED, DROPPED, DROPPED]);
});

it("dropped entries are not forwarded, unless they are retried", async () => {
  const { cwd, cli } = await threeWaiting();
  await cli("events drop 1 2");
  const app = await startReceiving();
  await listening(["--forward-to", app.url], cwd);
  await vi.waitFor(() => expect(app.kinds()).toEqual(["payment.overdue"]), WAIT);
  await cli("events retry 2");
  const both = ["payment.overdue", "payment.received"];
  await vi.waitFor(() => expect(app.kinds()).toEqual(both), WAIT);
});

it("a retry of a selection leaves dropped entries alone, and says so, unless they are asked for", async () => {
  const { cli, out, states } = await threeWaiting();
  await cli("events drop 1 2");
  const all = await cli("events retry --all");
  expect(all.stdout).toBe("1 to be retried now\n");
  expect(all.stderr).toContain("2 entries stay dropped: `hookporter events retry --dropped`");
  expect((await cli("events retry --state waiting")).stderr).not.toContain("stay");
  expect(await out("retry --state dead --rate 5")).toBe("0 to be retried now\n");
  expect(await states()).toEqual([DROPPED, DROPPED, WAITS]);
  const dropped = "retry --dropped --kind payment.*";
  expect(await out(`${dropped} --dry-run`)).toBe("1 entry would be retried, #2 to #2\n");
  const taken = await cli(`events ${dropped}`);
  expect([taken.stdout, taken.stderr.includes("stay")]).toEqual(["1 to be retried now\n", false]);
  expect(await states()).toEqual([DROPPED, "waiting null", WAITS]);
  expect(await out("retry 1")).toBe("1 to be retried now\n");
});

it("a selection without a state drops only what would still run", async () => {
  const { cwd, cli, states } = await threeWaiting();
  await cli("events drop 2");
  await cli("events retry 2");
  await listening(["--no-inspect"], cwd).then(({ stop }) => stop());
  const before = await states();
  expect(before.filter((state) => state.startsWith("waiting"))).not.toHaveLength(0);
  await cli("events drop --kind *");
  const after = await states();
  expect(after.filter((state) => state.startsWith("waiting"))).toEqual([]);
  const ended = (all: readonly string[]) => all.filter((state) => state.startsWith("received"));
  expect(ended(after)).toEqual(ended(before));
});

it("events retry makes waiting entries due now, and retries dead ones", async () => {
  const { cli } = await threeWaiting();
  await cli("events drop 1");
  const isDueAfter = async (time: string) =>
    (await cli("events list --json")).records.some(({ runAt }) => String(runAt) > time);
  expect(await isDueAfter(new Date().toISOString())).toBe(true);
  const retry = await cli("events retry 1 2 3 --json");
  expect(retry.records).toMatchObject([{ type: "retry", retried: 3, ended: 1 }]);
  expect(await isDueAfter(new Date().toISOString())).toBe(false);
});

it("events retry says whether a receiver runs them now, or will", async () => {
  const { cwd, cli } = await threeWaiting();
  const retry = async (seq: number) => (await cli(`events retry ${seq}`)).stderr;
  expect(await retry(1)).toContain("they will run as soon as a receiver has this inbox open");
  await listening(["--no-catch-up"], cwd);
  // Again while the receiver runs the entry already.
  const runsNow = async () =>
    expect(await retry(2)).toContain("they run now: a receiver has this inbox open");
  await vi.waitFor(runsNow, WAIT);
});

it("a change that is refused or finds nothing says so in one way, and changes nothing", async () => {
  const { cli, states } = await threeWaiting();
  for (const flags of [
    "drop",
    "retry",
    "drop --state handled",
    "retry --state running",
    "drop --limit 3",
    "retry --json",
    "drop --json",
  ])
    expect((await cli(`events ${flags}`)).code, flags).toBe(2);
  const retry = async (flags: string) =>
    (await cli(`events retry --state dead --json${flags}`)).records;
  for (const flags of ["", " --limit 5", " --rate 5/s"])
    expect(await retry(flags)).toMatchObject([{ type: "retry", retried: 0, ended: 0 }]);
  expect(await retry(" --dry-run")).toMatchObject([{ wouldRetry: 0 }]);
  expect(await states()).toEqual([WAITS, WAITS, WAITS]);
});

it("only entries that are retried are said to become dead letters again", async () => {
  const { url, cwd, records } = await listening(["--no-inspect"]);
  const cli = cliIn(cwd);
  for (let count = 0; count < 2; count++)
    await cli(`trigger property.created --set data.surface="wide" --url ${url}`);
  await vi.waitFor(() => expect(records("delivery")).toHaveLength(2), WAIT);
  const retry = async (flags: string) => (await cli(`events retry --dry-run ${flags}`)).stderr;
  expect(await retry("--state dead")).toMatch(/^#1 \(.*\), #2 \(.*\) will be dead letters again/);
  expect(await retry("--state received")).toBe("");
  expect(await retry("--state dead --limit 1")).toMatch(/^#1 \([^#]*\) will be dead letters again/);
});
