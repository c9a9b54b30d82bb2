import { expect, it } from "vitest";
import { REJECTED } from "../../../src/event/identity.ts";
import { memoryInbox } from "../../../src/inbox/memory.ts";
import { summariseEntry } from "../../../src/inspector/entries/summarise-entry.ts";
import { AT, claimOne, keep, numberedEntry, sampleKey, settlementOf } from "../../inbox/entries.ts";

/** The summary of an entry that waits for a reason, after a number of failed attempts. */
async function summaryOf(reason: string, attempts: number) {
  const inbox = memoryInbox();
  await inbox.open();
  await keep(inbox, numberedEntry(1));
  for (let attempt = 1; attempt <= attempts; attempt++)
    await inbox.settle(settlementOf(await claimOne(inbox), { state: "failing", runAt: AT }), AT);
  const waits = { state: "waiting", reason, uncount: true } as const;
  await inbox.settle(settlementOf(await claimOne(inbox), waits), AT);
  const [entry] = await inbox.list({});
  if (entry === undefined) throw new Error("expected an entry");
  return summariseEntry(entry);
}

it.each([0, 2])(
  "an entry that is kept from running is not said to run next, after %i attempts",
  async (attempts) => {
    expect(await summaryOf("paused", attempts)).toEqual({
      summary: "It does not run now: paused by hand.",
      fix: "Resume it: `hookporter events pause` shows what is paused.",
    });
    expect((await summaryOf("paced_3", attempts)).summary).toBe(
      "It does not run now: waits for its time in retry 3.",
    );
    expect((await summaryOf("tx_busy", attempts)).summary).toBe(
      "It does not run now: waits for a free transaction.",
    );
  },
);

it.each([
  ["that was never handled", {}],
  ["that was rejected", { key: sampleKey({ timestamp: REJECTED }) }],
])("an erased entry %s is said to be erased, not handled", async (_, parts) => {
  const inbox = memoryInbox();
  await inbox.open();
  const { seq } = await keep(
    inbox,
    numberedEntry(1, 1, { state: "dead", reason: "too_old", ...parts }),
  );
  await inbox.erase(({ erase }) => erase([seq], AT));
  const [entry] = await inbox.list({});
  expect(entry && summariseEntry(entry).summary).toMatch(/^It was erased by hand/);
});
