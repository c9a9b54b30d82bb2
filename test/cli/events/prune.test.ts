import { join } from "node:path";
import { expect, it } from "vitest";
import { sqliteInbox } from "../../../src/inbox/sqlite.ts";
import {
  claimOne,
  keep,
  numberedEntry,
  sampleDelivery,
  sampleKey,
  settlementOf,
} from "../../inbox/entries.ts";
import { runCli, tempFolder } from "../fake-io.ts";

const DAY = 86_400_000;

/** An inbox with one entry per age in days and state; returns its folder. */
async function inboxOf(
  entries: readonly (readonly [number, "handled" | "dead" | "received" | "waiting"])[],
) {
  const cwd = tempFolder();
  const inbox = sqliteInbox(join(cwd, "inbox.db"));
  await inbox.open();
  for (const [index, [age, state]] of entries.entries()) {
    const at = Date.now() - age * DAY;
    const key = sampleKey({ eventId: `evt_${index}`, timestamp: at });
    const delivery = sampleDelivery({ receivedAt: at });
    await keep(inbox, { ...numberedEntry(index), key, eventTimestamp: at, delivery });
    if (state !== "waiting")
      await inbox.settle(settlementOf(await claimOne(inbox, at), { state }), at);
  }
  await inbox.close();
  const left = async () => {
    const { records } = await runCli(["events", "list", "--inbox", "inbox.db", "--json"], { cwd });
    return records.filter(({ type }) => type === "entry").map(({ id }) => id);
  };
  return { cwd, left };
}

it("prune deletes old finished entries, and the deliveries of handled ones", async () => {
  const { cwd, left } = await inboxOf([
    [40, "handled"],
    [40, "dead"],
    [40, "received"],
    [10, "handled"],
    [1, "handled"],
    [0, "waiting"],
  ]);
  const { code, records } = await runCli(["events", "prune", "--inbox", "inbox.db", "--json"], {
    cwd,
  });
  expect([code, records.at(-1)]).toMatchObject([0, { type: "prune", pruned: 2, slimmed: 1 }]);
  expect(await left()).toEqual(["evt_1", "evt_3", "evt_4", "evt_5"]);
  expect(
    (await runCli(["events", "show", "4", "--inbox", "inbox.db", "--body"], { cwd })).code,
  ).toBe(2);
});

it("prune deletes dead letters on request, with the given age", async () => {
  const { cwd, left } = await inboxOf([
    [9, "dead"],
    [9, "handled"],
    [7, "dead"],
    [0, "handled"],
  ]);
  const { stdout } = await runCli(
    ["events", "prune", "--inbox", "inbox.db", "--state", "dead", "--older-than", "8d"],
    { cwd },
  );
  expect(stdout).toContain("entries deleted: 1");
  expect(await left()).toEqual(["evt_1", "evt_2", "evt_3"]);
});

it.each([
  [["--older-than", "7d"]],
  [["--older-than", "soon"]],
  [["--state", "waiting"]],
  [["--state", "running"]],
])("%j is refused", async (flags) => {
  const { cwd, left } = await inboxOf([
    [40, "handled"],
    [0, "handled"],
  ]);
  expect((await runCli(["events", "prune", "--inbox", "inbox.db", ...flags], { cwd })).code).toBe(
    2,
  );
  expect(await left()).toHaveLength(2);
});
