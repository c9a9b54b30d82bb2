import { expect, it } from "vitest";
import {
  claimOne,
  keep,
  numberedEntry,
  sampleDelivery,
  settlementOf,
} from "../../inbox/entries.ts";
import { inboxFolder } from "../inbox-folder.ts";

const DAY = 86_400_000;

/** An inbox with one entry per age in days and state, and what a pruning leaves of them. */
async function pruning(
  ...entries: readonly (readonly [number, "handled" | "dead" | "received" | "waiting"])[]
) {
  const { inbox, cli } = await inboxFolder();
  for (const [index, [age, state]] of entries.entries()) {
    const at = Date.now() - age * DAY;
    const delivery = sampleDelivery({ receivedAt: at });
    await keep(inbox, { ...numberedEntry(index), eventTimestamp: at, delivery });
    if (state !== "waiting")
      await inbox.settle(settlementOf(await claimOne(inbox, at), { state }), at);
  }
  const left = async () => (await cli("events list --json")).records.map(({ id }) => id);
  return { cli, left };
}

it("prune deletes old finished entries, and the deliveries of handled ones", async () => {
  const { cli, left } = await pruning(
    [40, "handled"],
    [40, "dead"],
    [40, "received"],
    [10, "handled"],
    [1, "handled"],
    [0, "waiting"],
  );
  const { code, records } = await cli("events prune --json");
  expect([code, records.at(-1)]).toMatchObject([0, { type: "prune", pruned: 2, slimmed: 1 }]);
  expect(await left()).toEqual(["evt_1", "evt_3", "evt_4", "evt_5"]);
  expect((await cli("events show 4 --body")).code).toBe(2);
});

it("prune deletes dead letters on request, with the given age, and nothing that is refused", async () => {
  const { cli, left } = await pruning([9, "dead"], [9, "handled"], [7, "dead"], [40, "handled"]);
  const refused = ["--older-than 7d", "--older-than soon", "--state waiting", "--state running"];
  for (const flags of refused) expect((await cli(`events prune ${flags}`)).code, flags).toBe(2);
  expect(await left()).toHaveLength(4);
  const { stdout } = await cli("events prune --state dead --older-than 8d");
  expect(stdout).toContain("entries deleted: 1");
  expect(await left()).toEqual(["evt_1", "evt_2", "evt_3"]);
});
