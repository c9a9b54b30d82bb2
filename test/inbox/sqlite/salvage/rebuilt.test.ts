import { describe, expect, it } from "vitest";
import { hash } from "../../../../src/base/package/builtins.ts";
import { rejectedKey } from "../../../../src/event/identity.ts";
import { readEnvelope } from "../../../../src/event/read-envelope.ts";
import { NOW } from "../../../receiver/sample.ts";
import { AT, keep, numberedEntry, sampleDelivery, sampleKey } from "../../entries.ts";
import { bodyOf, change, fileOf, keepEvent, madeFile, retype, salvage } from "./damaged-file.ts";

describe("an entry that could not have been written", () => {
  const keyed = (eventId: string) => ({ key: sampleKey({ eventId }) });

  it.each([
    ["a state that there is not", "UPDATE entry SET state = 'odd' WHERE seq = 2"],
    ["a digest that is too long", "UPDATE entry SET body_hash = body_hash || 'a' WHERE seq = 2"],
    ["a digest with more before it", "UPDATE entry SET body_hash = 'x' || body_hash WHERE seq = 2"],
    [
      "a digest that is too short",
      "UPDATE entry SET body_hash = substr(body_hash, 2) WHERE seq = 2",
    ],
    [
      "a digest that is not in hexadecimal",
      "UPDATE entry SET body_hash = replace(body_hash, 'a', 'g') WHERE seq = 2",
    ],
    ["a list of handlers that is none", "UPDATE entry SET finished_handlers = '{}' WHERE seq = 2"],
  ])("as it has %s is rebuilt from its delivery, with its key", async (_, sql) => {
    const path = await fileOf(3);
    change(path, sql);
    const { list, rebuilt, lost } = await salvage(path);
    expect({ rebuilt, lost }).toEqual({ rebuilt: [2], lost: [] });
    expect(list).toMatchObject([keyed("evt_1"), keyed("evt_2"), keyed("evt_3")]);
  });

  it.each([
    ["key_timestamp", 1],
    ["received_at", 11],
    ["run_at", 12],
    ["attempts", 14],
  ])("as its %s is no number is rebuilt from its delivery, with its key", async (_, column) => {
    const path = await fileOf(3);
    retype(path, "entry", 2, column);
    const { list, rebuilt, lost } = await salvage(path);
    expect({ rebuilt, lost }).toEqual({ rebuilt: [2], lost: [] });
    expect(list).toMatchObject([keyed("evt_1"), keyed("evt_2"), keyed("evt_3")]);
  });
});

describe("a rebuilt entry", () => {
  it("is as it was when the event was received, and has its id and its time from the body if no index has its key", async () => {
    const path = await fileOf(3);
    change(path, "DELETE FROM entry WHERE seq = 2");
    const before = Date.now();
    const { list, entries, inbox } = await salvage(path);
    const receivedAt = list[1]?.receivedAt ?? 0;
    expect(receivedAt).toBeGreaterThanOrEqual(before);
    expect(entries).toBe(3);
    expect(list[1]).toEqual({
      seq: 2,
      key: { source: "service", eventId: "event-2", timestamp: NOW },
      kind: "payment.received",
      eventTimestamp: NOW,
      state: "waiting",
      reason: null,
      problems: [],
      orderKey: null,
      settledAt: null,
      receivedAt,
      runAt: receivedAt,
      lastSeenAt: receivedAt,
      attempts: 0,
      duplicates: 0,
      finishedHandlers: [],
      waits: [],
      bodyHash: hash("sha256", bodyOf(2), "hex"),
      bodyLength: bodyOf(2).byteLength,
    });
    expect(Buffer.from((await inbox.delivery(2))?.body ?? []).equals(bodyOf(2))).toBe(true);
    expect(await inbox.attempts(2)).toEqual([]);
  });

  it("of a delivery that is no event is a dead letter again, of the reason that it had", async () => {
    const rejected = {
      kind: null,
      eventTimestamp: null,
      state: "dead",
      reason: "invalid_json",
    } as const;
    const delivery = sampleDelivery({ body: Buffer.from("no JSON") });
    const path = await madeFile(async (inbox) => {
      await keepEvent(inbox, 1);
      await keep(inbox, numberedEntry(2, 2, { ...rejected, delivery }));
    });
    change(path, "DELETE FROM entry WHERE seq = 2");
    const { list, rebuilt } = await salvage(path);
    expect(rebuilt).toEqual([2]);
    const receivedAt = list[1]?.receivedAt;
    expect(list[1]).toMatchObject({ ...rejected, settledAt: receivedAt, runAt: receivedAt });
    expect(list[1]?.key).toEqual(rejectedKey("service", delivery.body));
  });

  it("of a delivery that is no event keeps its key, if the index has it", async () => {
    const delivery = sampleDelivery({ body: Buffer.from("no JSON") });
    const key = sampleKey({ eventId: "rejected" });
    const path = await madeFile((inbox) => keep(inbox, numberedEntry(1, 0, { key, delivery })));
    change(path, "UPDATE entry SET state = 'odd'");
    expect((await salvage(path)).list).toMatchObject([
      { key, state: "dead", reason: "invalid_json" },
    ]);
  });

  it.each([
    ["the source of all others, if these have the same", "crm", "crm"],
    ["the source that is given, if others have several", "shop", "given"],
  ])("has %s", async (_, other, expected) => {
    const path = await madeFile(async (inbox) => {
      for (const [index, source] of ["crm", other, "crm"].entries())
        await keep(
          inbox,
          numberedEntry(index + 1, 0, { key: sampleKey({ source, eventId: `${index}` }) }),
        );
    });
    change(
      path,
      "DELETE FROM entry WHERE seq = 3; UPDATE delivery SET body = CAST(replace(body, '}', ' }') AS BLOB)",
    );
    expect((await salvage(path)).list.map(({ key }) => key.source)).toEqual([
      "crm",
      other,
      expected,
    ]);
  });

  it("has a key from its body if the index has one that cannot be read, and others keep theirs", async () => {
    const path = await fileOf(3);
    change(
      path,
      "UPDATE entry SET event_id = char(1) || '{' WHERE seq = 2; UPDATE entry SET state = 'odd' WHERE seq = 3",
    );
    const { list, rebuilt } = await salvage(path);
    expect(rebuilt).toEqual([2, 3]);
    expect(list.map(({ key }) => key.eventId)).toEqual(["evt_1", "event-2", "evt_3"]);
  });

  it("is lost if the event of its delivery is that of a whole entry, which stays", async () => {
    const own = readEnvelope(bodyOf(3));
    if (!own.ok) throw new Error("expected an envelope");
    const key = { source: "service", eventId: own.eventId, timestamp: own.timestamp };
    const path = await madeFile(async (inbox) => {
      for (const number of [1, 2]) await keepEvent(inbox, number);
      await keep(
        inbox,
        numberedEntry(3, 3, { key, delivery: sampleDelivery({ body: bodyOf(3) }) }),
      );
    });
    change(
      path,
      "DELETE FROM entry WHERE seq = 1; UPDATE delivery SET body = (SELECT body FROM delivery WHERE seq = 3) WHERE seq = 1",
    );
    const { list, rebuilt, lost, entries } = await salvage(path);
    expect({ rebuilt, lost, entries }).toEqual({ rebuilt: [], lost: [[1, 1]], entries: 2 });
    expect(list).toMatchObject([{ seq: 2 }, { seq: 3, key, receivedAt: AT }]);
  });
});
