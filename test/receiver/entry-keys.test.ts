import { describe, expect, it } from "vitest";
import type { ReceiverOptions } from "../../src/entries/index.ts";
import { OWN_IDENTITY } from "../../src/event/identity.ts";
import { readEnvelope } from "../../src/event/read-envelope.ts";
import { dedupKey, orderKey } from "../../src/receiver/judge.ts";
import { readOptions } from "../../src/receiver/options/settings.ts";
import { bytes, envelope, keptLog, NOW, SECRET } from "./sample.ts";

const READ = readEnvelope(bytes(envelope({ id: "evt_own" })));
const LONG = "x".repeat(300);

function read() {
  if (!READ.ok) throw new Error(READ.rejection.reason);
  return READ;
}

function settingsOf(options: object) {
  return readOptions({
    secret: SECRET,
    inbox: "memory:",
    log: keptLog().log,
    source: "agency",
    ...options,
  } as ReceiverOptions);
}

const keyBy = (own: unknown) => dedupKey(read(), settingsOf({ identity: () => own }));
const orderBy = (own: unknown) => orderKey(read(), settingsOf({ orderBy: () => own }), true);

describe("dedupKey", () => {
  it("is source, id and timestamp of the event, unless the user has an identity", () => {
    expect(dedupKey(read(), settingsOf({}))).toEqual({
      source: "agency",
      eventId: "evt_own",
      timestamp: NOW,
    });
    expect(keyBy("mine")).toEqual({ source: "agency", eventId: "mine", timestamp: OWN_IDENTITY });
  });

  it("stores a digest of an identity that is too long", () => {
    expect(keyBy(LONG).eventId).toMatch(/^evt_1_[0-9a-f]{40}$/);
  });

  it.each(["", undefined, null, 7, {}])("refuses the identity %j", (own) => {
    expect(() => keyBy(own)).toThrow("expected identity to return a non-empty string, got");
  });
});

describe("orderKey", () => {
  it("is what orderBy returns, or a digest of it if it is too long", () => {
    expect(orderBy("prop_1")).toBe("prop_1");
    expect(orderBy(LONG)).toMatch(/^evt_1_[0-9a-f]{40}$/);
  });

  it.each([undefined, null])("is none if orderBy returns %j", (own) => {
    expect(orderBy(own)).toBeNull();
  });

  it("is none without orderBy, or if that fails on data that does not fit", () => {
    const broken = settingsOf({
      orderBy: () => {
        throw new Error("no data");
      },
    });
    expect(orderKey(read(), settingsOf({}), true)).toBeNull();
    expect(orderKey(read(), broken, false)).toBeNull();
    expect(() => orderKey(read(), broken, true)).toThrow("no data");
  });

  it.each(["", 7, {}, true])("refuses the order key %j", (own) => {
    expect(() => orderBy(own)).toThrow(
      "expected orderBy to return a non-empty string, or undefined for no order, got",
    );
  });
});
