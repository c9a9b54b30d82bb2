import { describe, expect, it } from "vitest";
import { salvageFile } from "../../../../src/inbox/sqlite/salvage/salvage.ts";
import { openFileTransfer } from "../../../../src/inbox/sqlite/transfer.ts";
import type { CopyProgress } from "../../../../src/inbox/transfer/copy.ts";
import { tempFolder } from "../../../cli/fake-io.ts";
import { AT, claimOne, keep, numberedEntry, RUN, settlementOf } from "../../entries.ts";
import { fillEveryState, PRUNED } from "../../transfer/every-state.ts";
import {
  change,
  damage,
  fileOf,
  keepEvent,
  madeFile,
  numbers,
  retype,
  rootOf,
  salvage,
  seqsOf,
} from "./damaged-file.ts";

describe("a salvage", () => {
  it("keeps the lease of an entry that ran, so that its result counts, and none of one that has ended", async () => {
    let ended = { seq: 0, lease: "" };
    let running = { seq: 0, lease: "" };
    const path = await madeFile(async (inbox) => {
      await keepEvent(inbox, 1);
      ended = await claimOne(inbox, AT + 10);
      await inbox.settle(settlementOf(ended), AT + 11);
      await keepEvent(inbox, 2);
      running = await claimOne(inbox, AT + 10, 1e12);
    });
    const { inbox } = await salvage(path);
    expect(await inbox.settle(settlementOf(ended), AT)).toBe(false);
    expect(await inbox.settle(settlementOf(running), AT)).toBe(true);
  });

  it("keeps the dates of pruned events, so that these are not taken for new", async () => {
    const { inbox, withoutDelivery } = await salvage(await madeFile(fillEveryState));
    expect(await inbox.append(PRUNED)).toBeUndefined();
    expect(withoutDelivery).toEqual([]); // that of a handled entry was pruned
  });

  it.each([
    ["is no number", (path: string) => retype(path, "pruned", 1, -1)],
    [
      "is still to come",
      (path: string) => change(path, `UPDATE pruned SET dated_until = ${Date.now() + 1e6}`),
    ],
  ])("leaves out a date of pruned events that %s, and takes new events", async (_, spoil) => {
    const path = await fileOf(2);
    change(path, `INSERT INTO pruned VALUES ('service', ${AT - 1e6}), ('shop', ${AT})`);
    spoil(path);
    const { list, inbox } = await salvage(path);
    expect(list).toHaveLength(2);
    expect(await inbox.append(numberedEntry(3))).toMatchObject({ duplicate: false });
  });

  it("leaves out a run that cannot be read, and keeps the other runs of its entry in their order", async () => {
    const path = await madeFile(async (inbox) => {
      await keepEvent(inbox, 1);
      const records = ["a", "b", "c"].map((handler) => ({ ...RUN, handler, note: "noted" }));
      await inbox.settle(settlementOf(await claimOne(inbox, AT + 10), { records }), AT);
    });
    change(path, "UPDATE attempt SET failure = '{' WHERE handler = 'b'");
    const { inbox } = await salvage(path);
    expect((await inbox.attempts(1)).map(({ handler }) => handler)).toEqual(["a", "c"]);
  });

  it.each([
    [
      "headers are no JSON",
      (path: string) => change(path, "UPDATE delivery SET headers = '{' WHERE seq = 2"),
    ],
    ["body is no bytes", (path: string) => retype(path, "delivery", 2, 4)],
  ])("keeps an entry without its delivery if its %s", async (_, spoil) => {
    const path = await fileOf(3);
    spoil(path);
    const { list, withoutDelivery, inbox } = await salvage(path);
    expect(seqsOf(list)).toEqual([1, 2, 3]);
    expect(withoutDelivery).toEqual([2]);
    expect(await inbox.delivery(2)).toBeUndefined();
    expect(await inbox.delivery(3)).toBeDefined();
  });

  it("finds what a damaged page lacks without an error, by the index of keys, and names what has no delivery either", async () => {
    const path = await fileOf(300);
    change(path, "DELETE FROM delivery WHERE seq BETWEEN 101 AND 110 OR seq > 298");
    const [row] = change(
      path,
      "",
      "SELECT max(pageno) AS page FROM dbstat WHERE name = 'entry' AND pagetype = 'leaf'",
    );
    damage(path, (page) => {
      // The last page of entries says that it has only the first of its rows.
      page(Number(row?.page)).writeUInt16BE(1, 3);
    });
    const { list, lost, rebuilt, withoutDelivery } = await salvage(path);
    expect(seqsOf(list)).toEqual(numbers(1, 298));
    expect(rebuilt.length).toBeGreaterThan(3);
    expect(rebuilt).toEqual(numbers(rebuilt[0] ?? 0, 298));
    expect(list.map(({ key }) => key.eventId)).toEqual(
      numbers(1, 298).map((number) => `evt_${number}`),
    );
    expect({ lost, withoutDelivery }).toEqual({
      lost: [[299, 300]],
      withoutDelivery: numbers(101, 110),
    });
  });

  it("names what is lost in the order of numbers, those that follow each other as one range", async () => {
    const path = await fileOf(6);
    change(
      path,
      `DROP INDEX entry_key; UPDATE entry SET event_id = 'evt_1' WHERE seq = 2;
       UPDATE entry SET state = 'odd' WHERE seq IN (3, 5); DELETE FROM delivery WHERE seq IN (2, 3, 5)`,
    );
    const { list, lost, entries, withoutDelivery } = await salvage(path);
    expect(seqsOf(list)).toEqual([1, 4, 6]);
    expect(withoutDelivery).toEqual([]);
    expect({ lost, entries }).toEqual({
      lost: [
        [2, 3],
        [5, 5],
      ],
      entries: 3,
    });
  });

  it("finds all of them, too, if their keys are in another order than their numbers", async () => {
    const path = await madeFile(async (inbox) => {
      for (const number of numbers(1, 3)) {
        const entry = numberedEntry(number, number);
        await keep(inbox, { ...entry, key: { ...entry.key, timestamp: AT - number } });
      }
    });
    const root = rootOf(path, "entry");
    damage(path, (page) => page(root).writeUInt16BE(1, 3)); // which hides entries 2 and 3
    change(path, "DELETE FROM delivery WHERE seq > 1");
    const { list, lost } = await salvage(path);
    expect(seqsOf(list)).toEqual([1]);
    expect(lost).toEqual([[2, 3]]);
  });

  it.each([
    ["entry", "evt_300servicepayment.received", { rebuilt: [300], withoutDelivery: [] }],
    ["delivery", '"id":"event-300"', { rebuilt: [], withoutDelivery: [300] }],
  ])(
    "takes no row of the table %s whose number was damaged for that of an earlier one",
    async (_, text, expected) => {
      const path = await fileOf(300);
      damage(path, (__, content) => {
        const at = content.indexOf(text);
        // 300, in seven bits a byte
        const number = content.lastIndexOf(Buffer.from([0x82, 0x2c]), at);
        expect(at - number).toBeLessThan(250);
        content.writeUInt16BE(0x8003, number);
      });
      const { list, lost, rebuilt, withoutDelivery } = await salvage(path);
      expect(list.map(({ key }) => key.eventId)).toEqual(
        numbers(1, 300).map((number) => `evt_${number}`),
      );
      expect({ lost, rebuilt, withoutDelivery }).toEqual({ lost: [], ...expected });
    },
  );

  it("passes over numbers that no row has, and over those too large to be one", {
    timeout: 5000,
  }, async () => {
    const path = await fileOf(2);
    const insert =
      "INSERT INTO delivery SELECT max(seq) + 1e12, method, target, headers, body FROM delivery";
    change(
      path,
      `${insert}; UPDATE entry SET seq = 1e11 WHERE seq = 2; UPDATE delivery SET seq = 1e11 WHERE seq = 2;
      UPDATE attempt SET rowid = 1e15`,
    );
    const told: CopyProgress[] = [];
    const { list, rebuilt, lost } = await salvage(path, {
      onProgress: (progress) => told.push(progress),
    });
    expect(seqsOf(list)).toEqual([1, 1e11, 1e12 + 2]);
    expect({ rebuilt, lost }).toEqual({ rebuilt: [1e12 + 2], lost: [] });
    expect(told.map(({ step, total }) => `${step} ${total}`)).toEqual(
      Array(3).fill(`salvage ${1e12 + 2}`),
    );
    change(path, "UPDATE delivery SET seq = 9007199254740993 WHERE seq = 1");
    expect(seqsOf((await salvage(path)).list)).toEqual([1, 1e11, 1e12 + 2]);
  });

  it("ends with what it has copied if it is stopped", async () => {
    const path = await fileOf(300);
    const to = await openFileTransfer(`${tempFolder()}/new.db`, "own");
    const stop = new AbortController();
    const terms = { source: "given", onProgress: () => stop.abort(), signal: stop.signal };
    expect(await salvageFile(path, to, terms)).toBeUndefined();
    expect(await to.count()).toBe(256);
    await to.close();
  });

  it("fails if the new inbox cannot be written, and takes no entry for damaged", async () => {
    const path = await fileOf(5);
    const to = await openFileTransfer(`${tempFolder()}/new.db`, "own");
    const write = () => Promise.reject(new Error("the disk is full"));
    await expect(salvageFile(path, { ...to, write }, { source: "given" })).rejects.toThrow(
      "the disk is full",
    );
    await to.close();
  });
});
