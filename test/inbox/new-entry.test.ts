import { describe, expect, it } from "vitest";
import { REJECTED } from "../../src/event/identity.ts";
import { readEnvelope } from "../../src/event/read-envelope.ts";
import { sampleEvent } from "../../src/event/sample.ts";
import {
  type EntryTerms,
  type FirstRun,
  isUnfit,
  newEntry,
  rejectedEntry,
  storedKind,
} from "../../src/inbox/new-entry.ts";
import { AT, sampleDelivery, sampleKey } from "./entries.ts";

const LEASE = { token: "lease-1", until: AT + 1000 };
const TERMS: EntryTerms = { key: sampleKey(), order: null, problems: [] };

describe("newEntry", () => {
  it("returns a waiting entry that is due on arrival, with its lease", () => {
    expect(entryOf({})).toEqual({
      key: sampleKey(),
      kind: "payment.received",
      eventTimestamp: AT - 5000,
      state: "waiting",
      reason: null,
      orderKey: null,
      delivery: sampleDelivery({ body: BODY }),
      runAt: AT,
      lease: LEASE,
    });
  });

  it("returns a dead letter without a lease if the data does not fit", () => {
    const problems = [{ field: "data.rooms", message: "is missing" }];
    expect(entryOf({ unfit: "invalid_data", problems })).toMatchObject({
      state: "dead",
      reason: "invalid_data",
      problems,
      lease: undefined,
    });
  });

  it("leaves it to the inbox whether one with an order key is leased", () => {
    expect(entryOf({ order: "prop_1" })).toMatchObject({ orderKey: "prop_1", lease: LEASE });
  });

  it("leases no entry that is held for a time, and makes it due after that", () => {
    expect(entryOf({ holdMs: 50 })).toMatchObject({
      state: "waiting",
      runAt: AT + 50,
      lease: undefined,
    });
  });
});

describe("rejectedEntry", () => {
  it("returns a dead letter under a digest of the bytes, with what could be read of it", () => {
    const delivery = sampleDelivery({ body: BODY });
    const dead = {
      state: "dead",
      key: { source: "agency", eventId: expect.stringMatching(/^raw_1_/), timestamp: REJECTED },
    };
    const rejection = { reason: "too_old" } as const;
    expect(rejectedEntry(delivery, rejection, "agency")).toMatchObject({
      ...dead,
      reason: "too_old",
      kind: null,
      eventTimestamp: null,
      delivery,
    });
    expect(rejectedEntry(delivery, rejection, "agency", readBody())).toMatchObject({
      ...dead,
      kind: "payment.received",
      eventTimestamp: AT - 5000,
    });
  });
});

describe("storedKind", () => {
  it("keeps 200 characters", () => {
    expect(storedKind("k".repeat(200))).toBe("k".repeat(200));
    expect(storedKind("k".repeat(201))).toBe("k".repeat(200));
  });
});

const BODY = Buffer.from(JSON.stringify(sampleEvent("payment.received", { timestamp: AT - 5000 })));

function readBody() {
  const read = readEnvelope(BODY);
  if (!read.ok) throw new Error(read.rejection.reason);
  return read;
}

function entryOf({ holdMs, ...terms }: Partial<EntryTerms> & FirstRun) {
  return newEntry(
    sampleDelivery({ body: BODY }),
    readBody(),
    { ...TERMS, ...terms },
    { holdMs, lease: LEASE },
  );
}

it.each([
  ["invalid_data", true],
  ["inexact_number", true],
  ["invalid_json", false],
])("an event with the reason %s has a valid envelope that did not run: %s", (reason, unfit) => {
  expect(isUnfit(reason)).toBe(unfit);
});
