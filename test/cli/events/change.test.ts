import { expect, it, vi } from "vitest";
import { runCli } from "../fake-io.ts";
import { startReceiving } from "../fake-target.ts";
import { listening } from "../open-listen.ts";

const WAIT = { timeout: 20_000, interval: 10 };

/** A folder with an inbox in which three events wait for a target that is down, and its address. */
async function threeWaiting() {
  const app = await startReceiving();
  await app.close();
  const { url, cwd, records, stop } = await listening(["--forward-to", app.url]);
  for (const kind of ["lead.created", "payment.received", "payment.overdue"])
    await runCli(["trigger", kind, "--url", url], { cwd });
  await vi.waitFor(() => expect(records("attempt").length).toBeGreaterThan(0), WAIT);
  await stop();
  return { cwd, target: app.url, port: new URL(app.url).port };
}

async function states(cwd: string) {
  const { records } = await runCli(["events", "list", "--json"], { cwd });
  return records.map(({ state, reason }) => `${state} ${reason}`);
}

const WAITS = "waiting target_away";
const DROPPED = "dead dropped";

it("entries are listed with the target that they wait for, and selected by it", async () => {
  const { cwd, target, port } = await threeWaiting();
  const list = (...argv: string[]) => runCli(["events", "list", ...argv], { cwd });
  const { stdout } = await list();
  expect(stdout.match(new RegExp(`target_away.*waits for ${target}`, "g"))).toHaveLength(3);
  expect((await list("--json", "--target", port)).records).toHaveLength(3);
  expect((await list("--json", "--target", target)).records).toHaveLength(3);
  expect((await list("--json", "--target", `${port}/other`)).records).toEqual([]);
  expect((await runCli(["events", "show", "1"], { cwd })).stdout).toMatch(
    /waits since .*Z, \d failed attempt/,
  );
});

it("events drop lets entries go: by number, by kind, by target, and not twice", async () => {
  const { cwd, port } = await threeWaiting();
  const drop = (...argv: string[]) => runCli(["events", "drop", ...argv, "--json"], { cwd });
  expect((await drop("1")).records).toMatchObject([{ type: "drop", dropped: 1 }]);
  expect(await states(cwd)).toEqual([DROPPED, WAITS, WAITS]);
  const again = await drop("1");
  expect([again.code, again.records[0]?.dropped]).toEqual([0, 0]);
  expect(again.stderr).toContain("#1 is dead");
  expect((await drop("--target", port, "--kind", "payment.received")).records).toMatchObject([
    { dropped: 1 },
  ]);
  expect((await drop("--all")).records).toMatchObject([{ dropped: 1 }]);
  expect(await states(cwd)).toEqual([DROPPED, DROPPED, DROPPED]);
});

it("dropped entries are not forwarded, unless they are retried", async () => {
  const { cwd } = await threeWaiting();
  await runCli(["events", "drop", "1", "2"], { cwd });
  const app = await startReceiving();
  await listening(["--forward-to", app.url], cwd);
  await vi.waitFor(() => expect(app.kinds()).toEqual(["payment.overdue"]), WAIT);
  await runCli(["events", "retry", "2"], { cwd });
  await vi.waitFor(
    () => expect(app.kinds()).toEqual(["payment.overdue", "payment.received"]),
    WAIT,
  );
});

it("a retry of a selection leaves dropped entries alone, and says so, unless they are asked for", async () => {
  const { cwd } = await threeWaiting();
  const retry = (...argv: string[]) => runCli(["events", "retry", ...argv], { cwd });
  await runCli(["events", "drop", "1", "2"], { cwd });
  const all = await retry("--all");
  expect(all.stdout).toBe("1 to be retried now\n");
  expect((await retry("--state", "waiting")).stderr).not.toContain("stay");
  expect(all.stderr).toContain("2 entries stay dropped: `hookporter events retry --dropped`");
  expect((await retry("--state", "dead", "--rate", "5")).stdout).toBe("0 to be retried now\n");
  expect(await states(cwd)).toEqual([DROPPED, DROPPED, WAITS]);
  const dropped = ["--dropped", "--kind", "payment.*"];
  expect((await retry(...dropped, "--dry-run")).stdout).toBe(
    "1 entry would be retried, #2 to #2\n",
  );
  const taken = await retry(...dropped);
  expect([taken.stdout, taken.stderr.includes("stay")]).toEqual(["1 to be retried now\n", false]);
  expect(await states(cwd)).toEqual([DROPPED, "waiting null", WAITS]);
  expect((await retry("1")).stdout).toBe("1 to be retried now\n");
});

it("a selection without a state drops only what would still run", async () => {
  const { cwd } = await threeWaiting();
  await runCli(["events", "drop", "2"], { cwd });
  await runCli(["events", "retry", "2"], { cwd });
  await listening(["--no-inspect"], cwd).then(({ stop }) => stop());
  const before = await states(cwd);
  expect(before.filter((state) => state.startsWith("waiting"))).not.toHaveLength(0);
  await runCli(["events", "drop", "--kind", "*"], { cwd });
  const after = await states(cwd);
  expect(after.filter((state) => state.startsWith("waiting"))).toEqual([]);
  const ended = (all: readonly string[]) => all.filter((state) => state.startsWith("received"));
  expect(ended(after)).toEqual(ended(before));
});

it("events retry makes waiting entries due now, and retries dead ones", async () => {
  const { cwd } = await threeWaiting();
  await runCli(["events", "drop", "1"], { cwd });
  const due = async () =>
    (await runCli(["events", "list", "--json"], { cwd })).records.map(({ runAt }) => String(runAt));
  const now = new Date().toISOString();
  expect((await due()).filter((at) => at > now)).not.toHaveLength(0);
  const retry = await runCli(["events", "retry", "1", "2", "3", "--json"], { cwd });
  expect(retry.records).toMatchObject([{ type: "retry", retried: 3, ended: 1 }]);
  const later = new Date().toISOString();
  expect((await due()).filter((at) => at > later)).toEqual([]);
});

it("events retry says whether a receiver runs them now, or will", async () => {
  const { cwd } = await threeWaiting();
  const retry = async (...argv: string[]) =>
    (await runCli(["events", "retry", ...argv], { cwd })).stderr;
  expect(await retry("1")).toContain("they will run as soon as a receiver has this inbox open");
  await listening(["--no-catch-up"], cwd);
  // Again while the receiver runs the entry already.
  const runsNow = async () =>
    expect(await retry("2")).toContain("they run now: a receiver has this inbox open");
  await vi.waitFor(runsNow, WAIT);
});

it("a target that nothing waits for is answered with those that something waits for", async () => {
  const { cwd, target } = await threeWaiting();
  const drop = await runCli(["events", "drop", "--target", "1"], { cwd });
  expect(drop.stdout).toBe("0 dropped\n");
  expect(drop.stderr).toContain(`entries wait for ${target} (3)`);
});

it.each([
  ["drop", []],
  ["retry", []],
  ["drop", ["--state", "handled"]],
  ["retry", ["--state", "running"]],
  ["drop", ["--limit", "3"]],
  ["retry", ["--json"]],
  ["drop", ["--json"]],
])("events %s %j is refused, and changes nothing", async (command, argv) => {
  const { cwd } = await threeWaiting();
  expect((await runCli(["events", command, ...argv], { cwd })).code).toBe(2);
  expect(await states(cwd)).toEqual([WAITS, WAITS, WAITS]);
});

it("a dry run names no other targets beside the entries that it found", async () => {
  const { cwd, port } = await threeWaiting();
  const dry = (target: string) =>
    runCli(["events", "retry", "--target", target, "--dry-run"], { cwd });
  const found = await dry(port);
  expect([found.stdout, found.stderr]).toEqual(["3 entries would be retried, #1 to #3\n", ""]);
  expect((await dry("1")).stderr).toContain("entries wait for ");
});

it("a retry that finds nothing says so in one way, whatever its flags", async () => {
  const { cwd } = await threeWaiting();
  const retry = (...argv: string[]) =>
    runCli(["events", "retry", "--state", "dead", ...argv, "--json"], { cwd });
  for (const flags of [[], ["--limit", "5"], ["--rate", "5/s"]])
    expect((await retry(...flags)).records).toMatchObject([
      { type: "retry", retried: 0, ended: 0 },
    ]);
  expect((await retry("--dry-run")).records).toMatchObject([{ wouldRetry: 0 }]);
});

it("only entries that are retried are said to become dead letters again", async () => {
  const { url, cwd, records } = await listening(["--no-inspect"]);
  for (let count = 0; count < 2; count++)
    await runCli(["trigger", "property.created", "--set", 'data.surface="wide"', "--url", url], {
      cwd,
    });
  await vi.waitFor(() => expect(records("delivery")).toHaveLength(2), WAIT);
  const retry = async (...argv: string[]) =>
    (await runCli(["events", "retry", ...argv, "--dry-run"], { cwd })).stderr;
  expect(await retry("--state", "dead")).toMatch(
    /^#1 \(.*\), #2 \(.*\) will be dead letters again/,
  );
  expect(await retry("--state", "received")).toBe("");
  expect(await retry("--state", "dead", "--limit", "1")).toMatch(
    /^#1 \([^#]*\) will be dead letters again/,
  );
});
