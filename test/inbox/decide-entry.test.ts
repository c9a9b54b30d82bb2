import { beforeEach, describe, expect, it } from "vitest";
import { REJECTED } from "../../src/event/identity.ts";
import { sampleEvent } from "../../src/event/sample.ts";
import { carryOut, carryOutNow, decideDelivery, decideRejected } from "../../src/inbox/decide-entry.ts";
import type { Inbox } from "../../src/inbox/inbox.ts";
import type { KeepTerms } from "../../src/inbox/kept.ts";
import { memoryInbox } from "../../src/inbox/memory.ts";
import { AT, sampleDelivery } from "./entries.ts";

const TERMS: KeepTerms = { source: "service", now: AT, holdMs: 0, maxAge: 10_000, maxSkew: 1000 };
const REJECTION = { reason: "invalid_json", message: "the body is not JSON" } as const;

describe("decideDelivery", () => {
  let inbox: Inbox;

  beforeEach(() => {
    inbox = memoryInbox();
  });

  const decide = (body: unknown, terms: Partial<KeepTerms> = {}) => {
    const bytes = Buffer.from(typeof body === "string" ? body : JSON.stringify(body));
    return carryOut(decideDelivery(sampleDelivery({ body: bytes }), { ...TERMS, ...terms }), inbox);
  };
  const paid = (timestamp = AT) => sampleEvent("payment.received", { timestamp });

  it("keeps an event under its source, id and timestamp, and knows it again", async () => {
    const kept = await decide(paid());
    expect(kept).toMatchObject({
      key: { source: "service", eventId: expect.stringMatching(/^evt_1_/), timestamp: AT },
      ...{ seq: 1, duplicate: false, state: "pending", leased: false, problems: [], timestamp: AT },
    });
    expect(await decide(paid())).toMatchObject({ seq: 1, duplicate: true });
    expect(await decide(paid(), { source: "other" })).toMatchObject({ seq: 2, duplicate: false });
  });

  it("inserts an event with a lease, or holds it for a time", async () => {
    const lease = { token: "lease-1", until: AT + 1000 };
    expect(await decide(paid(), { lease })).toMatchObject({ leased: true });
    expect(await decide(paid(AT - 1), { holdMs: 50 })).toMatchObject({ leased: false });
    expect(await inbox.list({})).toMatchObject([
      { state: "running", runAt: AT + 1000, attempts: 1, orderKey: null },
      { state: "pending", runAt: AT + 50, attempts: 0, orderKey: null },
    ]);
  });

  it("makes a dead letter of what is no event, under a digest of its bytes", async () => {
    expect(await decide("{")).toMatchObject({
      rejection: { reason: "invalid_json" },
      ...{ eventId: expect.stringMatching(/^raw_1_/), kind: null, timestamp: null },
    });
    expect(await inbox.list({})).toMatchObject([
      { state: "dead", reason: "invalid_json", key: { source: "service", timestamp: REJECTED } },
    ]);
  });

  it("makes a dead letter of data that does not fit its kind's documented shape", async () => {
    const event = { ...sampleEvent("property.created", { timestamp: AT }), data: {} };
    expect(await decide(event)).toMatchObject({
      state: "dead",
      problems: expect.arrayContaining([{ field: "data.id", message: expect.any(String) }]),
    });
    expect(await inbox.list({})).toMatchObject([{ reason: "invalid_data" }]);
  });

  it.each([
    ["too old", AT - 10_001, "too_old"],
    ["from the future", AT + 1001, "future_timestamp"],
  ])("makes a dead letter of an event that is %s, unless it is known", async (_, timestamp, reason) => {
    expect(await decide(paid(timestamp))).toMatchObject({
      rejection: { reason },
      ...{ kind: "payment.received", timestamp },
    });
    await decide(paid(), { now: AT });
    expect(await decide(paid(), { now: AT + 10_001 })).toMatchObject({ seq: 2, duplicate: true });
  });
});

describe("carryOutNow", () => {
  it("carries out a decision with a store that answers at once", () => {
    const seen: unknown[] = [];
    const store = {
      append: ({ state }: { state: string }) => {
        seen.push(["append", state]);
        return { seq: 7, duplicate: false, state: "dead" as const };
      },
      touch: (key: { eventId: string }, at: number) => {
        seen.push(["touch", key.eventId, at]);
        return undefined;
      },
    };
    const late = Buffer.from(
      JSON.stringify({ ...sampleEvent("lead.created", { timestamp: 0 }), id: "evt_9" }),
    );
    const kept = carryOutNow(decideDelivery(sampleDelivery({ body: late }), TERMS), store);
    expect(kept).toMatchObject({ seq: 7, rejection: { reason: "too_old" } });
    expect(seen).toEqual([
      ["touch", "evt_9", AT],
      ["append", "dead"],
    ]);
  });
});

describe("decideRejected", () => {
  it("refuses a store that does not keep a dead letter", async () => {
    const store = { append: async () => undefined, touch: async () => undefined };
    const decision = decideRejected(sampleDelivery(), { rejection: REJECTION, source: "service" });
    await expect(carryOut(decision, store)).rejects.toThrow(TypeError);
  });
});
