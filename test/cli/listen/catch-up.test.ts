import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { awayTarget, startReceiving } from "../fake-target.ts";
import { folderWith } from "../folder-with.ts";
import { listening } from "../open-listen.ts";

/** A folder with an inbox in which a plain `listen` has kept an event of each of these kinds. */
async function keptOnly(...kinds: readonly string[]) {
  const { cwd, stop, trigger, until } = await listening();
  for (const kind of kinds) await trigger(kind);
  await until("attempt", kinds.length);
  await stop();
  return cwd;
}

it("listen prints once that events are only kept and shown, if there are no handlers and targets", async () => {
  const cwd = folderWith({ "h.js": 'export default { "lead.created": () => {} };' });
  const target = await startReceiving();
  const told = async (...argv: string[]) => {
    const { now } = await listening(argv, cwd);
    return now().stderr.match(/Events are kept and shown\./g)?.length ?? 0;
  };
  expect(await told()).toBe(1);
  expect(await told("--handlers", "h.js", "--inbox", "two.db")).toBe(0);
  expect(await told("--forward-to", target.url, "--inbox", "three.db")).toBe(0);
});

it("events that arrived while the target was down still wait after a plain `listen`, and go to the next one's target", async () => {
  const down = await awayTarget();
  const first = await listening(["--forward-to", down.url]);
  await first.trigger("payment.received");
  await first.until("attempt", [{ seq: 1 }]);
  await first.stop();
  const plain = await listening([], first.cwd);
  await expect
    .poll(plain.entries, { timeout: 20_000 })
    .toMatchObject([{ state: "waiting", reason: "no_handler" }]);
  expect(plain.records("attempt")).toEqual([]);
  await plain.stop();
  const target = await startReceiving();
  const { until } = await listening(["--forward-to", target.url], first.cwd);
  await until("attempt", [{ seq: 1, state: "handled" }]);
  expect(target.kinds()).toEqual(["payment.received"]);
});

it("events kept without any target are forwarded at the next start, if their kinds have a target and without --no-catch-up", async () => {
  const cwd = await keptOnly("payment.received", "lead.created", "payment.overdue");
  const target = await startReceiving();
  const left = await listening(["--forward-to", target.url, "--no-catch-up"], cwd);
  await left.trigger("lead.created");
  await left.until("attempt", [{ seq: 4, state: "handled" }]);
  expect((await left.entries()).map(({ state }) => state)).toEqual([
    "received",
    "received",
    "received",
    "handled",
  ]);
  expect((await left.stop()).stderr).not.toContain("catching up");
  const next = await listening(["--forward-to", `payment.*=${target.url}`], cwd);
  await next.until("attempt", 2);
  expect(target.kinds().sort()).toEqual(["lead.created", "payment.overdue", "payment.received"]);
  expect(next.now().stderr).toContain("catching up: 2 entries that had no handler");
  expect((await next.entries())[1]).toMatchObject({ kind: "lead.created", state: "received" });
});

it("--catch-up lets handlers run received entries; without it listen suggests the flag", async () => {
  const cwd = await keptOnly("payment.received", "lead.created");
  writeFileSync(join(cwd, "h.js"), 'export default { "lead.created": () => {} };');
  const first = await listening(["--handlers", "h.js"], cwd);
  await first.said("2 entries had no handler or target: run them with --catch-up");
  expect(first.records("attempt")).toEqual([]);
  await first.stop();
  const second = await listening(["--handlers", "h.js", "--catch-up"], cwd);
  await second.until("attempt", 2);
  expect((await second.entries()).map(({ state }) => state)).toEqual(["received", "handled"]);
});
