import { describe, expect, it, vi } from "vitest";
import { z } from "zod";
import type { Plan } from "../../src/dispatch/handler.ts";
import type { ReceiverOptions } from "../../src/entries/index.ts";
import { REJECTED } from "../../src/event/identity.ts";
import type { ClaimedEntry } from "../../src/inbox/claim.ts";
import { readOptions } from "../../src/receiver/options/settings.ts";
import { type Planning, planEntry } from "../../src/receiver/plan.ts";
import { claimOne } from "../inbox/entries.ts";
import { bytes, deliveryOf, envelope, keptLog, NOW, SECRET } from "./sample.ts";

const HANDLER = { name: "a", handler: () => {} };
const KEY = { source: "agency", eventId: "evt_own", timestamp: NOW };

function settingsOf(options: Partial<ReceiverOptions> = {}) {
  return readOptions({
    secret: SECRET,
    inbox: "memory:",
    log: keptLog().log,
    clock: () => NOW,
    ...options,
  });
}

function entryOf(content: object | string, parts: Partial<ClaimedEntry> = {}): ClaimedEntry {
  return {
    seq: 7,
    lease: "lease-1",
    key: KEY,
    kind: "payment.received",
    orderKey: null,
    runAt: NOW,
    attempts: 1,
    finishedHandlers: [],
    delivery: deliveryOf(content),
    ...parts,
  };
}

interface Parts {
  readonly missing?: Planning["missing"]["plan"];
  readonly compare?: Planning["drifts"]["compare"];
}

function plan(entry: ClaimedEntry, settings = settingsOf(), { missing, compare }: Parts = {}) {
  const match = (kind: string) => (kind === "payment.received" ? [HANDLER] : []);
  const none = async (): Promise<Plan> => ({ end: "received", reason: "no_handler" });
  return planEntry(
    entry,
    { settings, router: { match } },
    { missing: { plan: missing ?? none }, drifts: { compare: compare ?? (() => {}) } },
  );
}

async function planOf(entry: ClaimedEntry, settings = settingsOf(), parts: Parts = {}) {
  const made = await plan(entry, settings, parts);
  if (!("run" in made)) throw new Error(`expected handlers to run, got ${JSON.stringify(made)}`);
  return made;
}

describe("planEntry", () => {
  it("runs the kind's handlers with the event under the entry's own id and source", async () => {
    const { run, event } = await planOf(entryOf(envelope({ id: "evt_sent" })));
    expect(run).toEqual([HANDLER]);
    expect(await event()).toMatchObject({
      id: "evt_own",
      source: "agency",
      kind: "payment.received",
    });
  });

  it("makes a new event for each handler, so that no handler sees what another changed", async () => {
    const { event } = await planOf(entryOf(envelope()));
    const first = await event();
    const second = await event();
    const third = await event();
    expect(second).toEqual(first);
    expect(new Set([first, second, third]).size).toBe(3);
    expect(new Set([first.data, second.data, third.data]).size).toBe(3);
  });

  it("ends an entry whose bytes are no event as a dead letter", () => {
    expect(plan(entryOf("{"), settingsOf())).toEqual({
      end: "dead",
      reason: "invalid_json",
    });
  });

  it("ends an entry whose data does not fit now as a dead letter, with its problems", async () => {
    const schemas = { "payment.received": z.object({ amount: z.string() }) };
    expect(await plan(entryOf(envelope()), settingsOf({ schemas }))).toMatchObject({
      end: "dead",
      reason: "invalid_data",
      problems: [{ field: "data.amount" }],
    });
  });

  it("gives handlers the output of a schema, even of an asynchronous one", async () => {
    const amount = z.number().transform(async (euros) => euros * 100);
    const settings = settingsOf({ schemas: { "payment.received": z.object({ amount }) } });
    const { event } = await planOf(entryOf(envelope()), settings);
    expect((await event()).data).toEqual({ amount: 120_000 });
    expect((await event()).data).toEqual({ amount: 120_000 });
  });

  it("refuses a schema that accepts data once, and then no more", async () => {
    let fits = true;
    const schemas = { "payment.received": z.looseObject({}).refine(() => fits) };
    const { event } = await planOf(entryOf(envelope()), settingsOf({ schemas }));
    await event();
    fits = false;
    await expect(event()).rejects.toThrow(TypeError);
  });

  describe("for a kind without a handler", () => {
    const lead = (parts: Partial<ClaimedEntry> = {}) =>
      entryOf(envelope({ event: "lead.created" }), parts);

    it("does what is to be done with entries without a handler", () => {
      const missing = vi.fn(async (): Promise<Plan> => ({ end: "received", reason: "no_handler" }));
      const entry = lead();
      expect(plan(entry, settingsOf(), { missing })).toBe(missing.mock.results[0]?.value);
      expect(missing).toHaveBeenCalledExactlyOnceWith(entry, "lead.created");
    });
  });
});

describe("planEntry for a retried rejected delivery", () => {
  const rejected = (content: object | string) => {
    const key = { source: "agency", eventId: "raw_1", timestamp: REJECTED };
    return entryOf(content, { key, delivery: { ...deliveryOf(content), receivedAt: NOW - 5000 } });
  };

  it("keeps its event under its own key, due and in its order, even if that may have been pruned", async () => {
    const settings = settingsOf({ source: "agency", orderBy: ({ data }) => String(data.id) });
    const append = vi.spyOn(settings.inbox, "append");
    const retried = await plan(rejected(envelope({ id: "evt_own" })), settings);
    expect(retried).toEqual({ end: "handled", reason: "retried" });
    expect(append).toHaveBeenCalledWith(
      expect.objectContaining({ afterPruning: true, state: "waiting" }),
    );
    expect(await claimOne(settings.inbox, NOW)).toMatchObject({
      key: KEY,
      orderKey: "payment_1",
      delivery: { body: Uint8Array.from(bytes(envelope({ id: "evt_own" }))) },
    });
  });

  it("stays a dead letter if it still cannot be read", async () => {
    const settings = settingsOf();
    expect(await plan(rejected("{"), settings)).toEqual({
      end: "dead",
      reason: "invalid_json",
    });
    expect(await settings.inbox.list({})).toEqual([]);
  });

  it("fails if the user's own order fails, so that it is tried again", async () => {
    const settings = settingsOf({
      orderBy: () => {
        throw new Error("no order");
      },
    });
    await expect(plan(rejected(envelope()), settings)).rejects.toThrow("no order");
  });
});
