import { describe, expect, it } from "vitest";
import type { Settlement } from "../../../src/inbox/settlement.ts";
import { AT, keep, numberedEntry, sampleKey, settlementOf } from "../entries.ts";
import { changeFile } from "./changed-file.ts";
import { claim, newPath, open } from "./opened.ts";

describe("an inbox file that is opened", () => {
  it("runs an entry that was held back for one that is no longer there", async () => {
    const path = newPath();
    const first = await open(path);
    const { seq } = await keep(first, numberedEntry(1, 0, { orderKey: "a" }));
    await first.close();
    changeFile(path, "UPDATE entry SET held_back = 1");
    expect(await claim(await open(path))).toMatchObject([{ seq }]);
  });
});

describe("an event with an order key that could run at once", () => {
  const next = (parts: object = {}) =>
    numberedEntry(2, 0, { orderKey: "a", lease: { token: "mine", until: AT + 1000 }, ...parts });

  it.each<[string, Settlement["state"], boolean]>([
    ["waits behind one that waits", "waiting", false],
    ["runs if the earlier one is handled", "handled", true],
    ["runs if the earlier one is a dead letter", "dead", true],
  ])("%s", async (_, state, leased) => {
    const inbox = await open();
    await keep(inbox, numberedEntry(1, 0, { orderKey: "a" }));
    for (const entry of await claim(inbox))
      await inbox.settle(settlementOf(entry, { state, runAt: AT + 9 }), AT);
    expect(await keep(inbox, next())).toMatchObject({ leased });
  });

  it("waits behind one that runs, but not behind those of another key or source", async () => {
    const inbox = await open();
    await keep(inbox, numberedEntry(1, 0, { orderKey: "a" }));
    await claim(inbox);
    expect(await keep(inbox, next())).toMatchObject({ leased: false });
    expect(
      await keep(inbox, next({ key: sampleKey({ eventId: "b" }), orderKey: "b" })),
    ).toMatchObject({
      leased: true,
    });
    expect(await keep(inbox, next({ key: sampleKey({ source: "crm" }) }))).toMatchObject({
      leased: true,
    });
  });
});
