import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it, vi } from "vitest";
import { runCli, tempFolder } from "../fake-io.ts";
import { startReceiving } from "../fake-target.ts";
import { listening } from "../open-listen.ts";

const WAIT = { timeout: 20_000, interval: 20 };

async function entries(cwd: string) {
  return (await runCli(["events", "list", "--json"], { cwd })).records;
}

/** A folder with an inbox in which a plain `listen` has kept an event of each of these kinds. */
async function keptOnly(...kinds: readonly string[]) {
  const { url, cwd, stop, records } = await listening();
  for (const kind of kinds) await runCli(["trigger", kind, "--url", url], { cwd });
  await vi.waitFor(() => expect(records("attempt")).toHaveLength(kinds.length), WAIT);
  await stop();
  return cwd;
}

/** A folder with an inbox in which an event waits for a target that was never up. */
async function keptForTarget() {
  const down = await startReceiving();
  await down.close();
  const { url, cwd, stop, records } = await listening(["--forward-to", down.url]);
  await runCli(["trigger", "payment.received", "--url", url], { cwd });
  await vi.waitFor(() => expect(records("attempt").length).toBeGreaterThan(0), WAIT);
  await stop();
  return cwd;
}

it("listen prints once that events are only kept and shown, if there are no handlers and targets", async () => {
  const cwd = tempFolder();
  writeFileSync(join(cwd, "h.js"), 'export default { "lead.created": () => {} };');
  const target = await startReceiving();
  const told = async (...argv: string[]) => {
    const { now } = await listening(argv, cwd);
    return now().stderr.match(/Events are kept and shown\./g)?.length ?? 0;
  };
  expect(await told()).toBe(1);
  expect(await told("--handlers", "h.js", "--inbox", "two.db")).toBe(0);
  expect(await told("--forward-to", target.url, "--inbox", "three.db")).toBe(0);
});

it("events that arrived while the target was down are forwarded at the next start", async () => {
  const cwd = await keptForTarget();
  expect(await entries(cwd)).toMatchObject([{ state: "waiting" }]);
  const target = await startReceiving();
  const { records } = await listening(["--forward-to", target.url], cwd);
  await vi.waitFor(
    () => expect(records("attempt").at(-1)).toMatchObject({ seq: 1, state: "handled" }),
    WAIT,
  );
  expect(target.kinds()).toEqual(["payment.received"]);
});

it("events that wait for a target still wait after a plain `listen` in between", async () => {
  const cwd = await keptForTarget();
  const plain = await listening([], cwd);
  const waits = async () =>
    expect(await entries(cwd)).toMatchObject([{ state: "waiting", reason: "no_handler" }]);
  await vi.waitFor(waits, WAIT);
  expect(plain.records("attempt")).toEqual([]);
  await plain.stop();
  await waits();
});

it("events kept without any target are forwarded at the next start, if their kinds have a target", async () => {
  const cwd = await keptOnly("payment.received", "lead.created", "payment.overdue");
  const target = await startReceiving();
  const { now, records } = await listening(["--forward-to", `payment.*=${target.url}`], cwd);
  await vi.waitFor(() => expect(records("attempt")).toHaveLength(2), WAIT);
  expect(target.kinds().sort()).toEqual(["payment.overdue", "payment.received"]);
  expect(now().stderr).toContain("catching up: 2 entries that had no handler");
  expect((await entries(cwd)).map(({ state }) => state)).toEqual([
    "handled",
    "received",
    "handled",
  ]);
});

it("--no-catch-up leaves received entries as they are", async () => {
  const cwd = await keptOnly("payment.received");
  const target = await startReceiving();
  const { url, now, records } = await listening(["--forward-to", target.url, "--no-catch-up"], cwd);
  await runCli(["trigger", "lead.created", "--url", url], { cwd });
  await vi.waitFor(
    () => expect(records("attempt")).toMatchObject([{ seq: 2, state: "handled" }]),
    WAIT,
  );
  expect(await entries(cwd)).toMatchObject([{ state: "received" }, { state: "handled" }]);
  expect(now().stderr).not.toContain("catching up");
});

it("--catch-up lets handlers run received entries; without it listen suggests the flag", async () => {
  const cwd = await keptOnly("payment.received", "lead.created");
  writeFileSync(join(cwd, "h.js"), 'export default { "lead.created": () => {} };');
  const first = await listening(["--handlers", "h.js"], cwd);
  expect(first.now().stderr).toContain(
    "2 entries had no handler or target: run them with --catch-up",
  );
  expect(first.records("attempt")).toEqual([]);
  await first.stop();
  const second = await listening(["--handlers", "h.js", "--catch-up"], cwd);
  await vi.waitFor(() => expect(second.records("attempt")).toHaveLength(2), WAIT);
  expect((await entries(cwd)).map(({ state }) => state)).toEqual(["received", "handled"]);
});
