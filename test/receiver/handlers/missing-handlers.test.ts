import { describe, expect, it } from "vitest";
import type { ClaimedEntry } from "../../../src/inbox/claim.ts";
import { memoryInbox } from "../../../src/inbox/memory.ts";
import type { Role, Runner } from "../../../src/inbox/runner.ts";
import { MissingHandlers } from "../../../src/receiver/handlers/missing-handlers.ts";
import { deliveryOf, envelope, NOW } from "../sample.ts";

const PATIENCE = 600_000;
const LATER = { wait: 10_000, reason: "no_handler" };
const PATIENT = { wait: PATIENCE, reason: "awaits_handler" };
const UNHANDLED = { end: "received", reason: "no_handler" };

interface Terms {
  readonly role?: Role;
  readonly unhandledAfter?: number;
  readonly isEmpty?: boolean;
}

/** What a process without a handler for leads decides. The others can be changed. */
function missing(given: readonly Partial<Runner>[] | undefined, terms: Terms = {}) {
  const { role = "both", unhandledAfter = PATIENCE, isEmpty = false } = terms;
  const state = { runners: given, handled: [] as readonly string[], reads: 0 };
  const runners = async (): Promise<readonly Runner[]> => {
    state.reads++;
    if (state.runners === undefined) throw new Error("the store fails");
    const other = { id: "b", version: "1", role: "both", sources: ["agency"], kinds: [] } as const;
    return state.runners.map((parts) => ({ ...other, ...parts }));
  };
  const inbox = Object.assign(memoryInbox(), given === undefined ? {} : { runners });
  const router = () => ({
    isEmpty,
    match: (kind: string) => (state.handled.includes(kind) ? [HANDLER] : []),
  });
  const settings = { inbox, role, unhandledAfter, clock: () => NOW };
  const handlers = new MissingHandlers(settings, { id: "own", router, startedAt: () => NOW });
  const planOf = async (parts: Partial<ClaimedEntry> = {}, kind = "lead.created") =>
    handlers.plan({ ...lead(), ...parts }, kind);
  return { handlers, state, planOf };
}

const HANDLER = { name: "lead.*", handler: () => {} };
const LEADS = { kinds: ["lead.*"] };
const PAYMENTS = { kinds: ["payment.*"] };

function lead(): ClaimedEntry {
  return {
    seq: 7,
    lease: "lease-1",
    key: { source: "agency", eventId: "evt_1", timestamp: NOW },
    kind: "lead.created",
    orderKey: null,
    runAt: NOW + 15_000,
    attempts: 1,
    finishedHandlers: [],
    delivery: { ...deliveryOf(envelope()), receivedAt: NOW },
    dueAt: NOW,
  };
}

describe("an entry without a handler here", () => {
  it.each<[string, readonly Partial<Runner>[] | undefined, Terms, Partial<ClaimedEntry>, object]>([
    ["ends if the inbox has no other processes", undefined, {}, {}, UNHANDLED],
    ["ends if no other process is registered", [], {}, {}, UNHANDLED],
    [
      "ends if only processes of other sources are",
      [{ ...LEADS, sources: ["crm"] }],
      {},
      {},
      UNHANDLED,
    ],
    ["is left to a process that has a handler", [PAYMENTS, LEADS], {}, {}, { leave: true }],
    ["is left to one that only runs", [{ ...LEADS, role: "run" }], {}, {}, { leave: true }],
    ["is left to one after an attempt too", [LEADS], {}, { attempts: 3 }, { leave: true }],
    ["waits if another has other handlers", [PAYMENTS], {}, {}, PATIENT],
    [
      "waits if another has its handlers, but only receives",
      [{ ...LEADS, role: "receive" }],
      {},
      {},
      PATIENT,
    ],
    ["waits in a process that only receives, even alone", [], { role: "receive" }, {}, PATIENT],
    ["ends once it has waited", [PAYMENTS], {}, { reason: "awaits_handler" }, UNHANDLED],
    [
      "is still left to another once it has waited",
      [LEADS],
      {},
      { reason: "awaits_handler" },
      { leave: true },
    ],
    [
      "waits again if it is claimed sooner",
      [PAYMENTS],
      {},
      { reason: "awaits_handler", dueAt: NOW + 1 },
      PATIENT,
    ],
    ["waits if it waited for something else", [PAYMENTS], {}, { reason: "no_handler" }, PATIENT],
    ["ends without patience", [PAYMENTS], { unhandledAfter: 0 }, {}, UNHANDLED],
    ["is never given up after an attempt", [], {}, { attempts: 2 }, LATER],
    [
      "from before the start waits if there are no handlers at all",
      [],
      { isEmpty: true },
      fromBefore(),
      LATER,
    ],
    [
      "from before the start ends if there are other handlers here",
      [],
      {},
      fromBefore(),
      UNHANDLED,
    ],
  ])("%s", async (_, others, terms, parts, plan) => {
    expect(await missing(others, terms).planOf(parts)).toEqual(plan);
  });

  it("is looked at again, and its kind is still claimed, if only this event has none and another process has one", async () => {
    const { handlers, state, planOf } = missing([LEADS]);
    state.handled = ["lead.created"];
    expect(await planOf()).toEqual(LATER);
    expect(await handlers.leftKinds("agency")).toEqual([]);
  });

  it("is looked at again if the store fails", async () => {
    const { planOf, state } = missing([]);
    state.runners = undefined;
    expect(await planOf()).toEqual(LATER);
  });
});

function fromBefore(): Partial<ClaimedEntry> {
  return { delivery: { ...deliveryOf(envelope()), receivedAt: NOW - 1 } };
}

describe("the kinds that are left to others", () => {
  it("are those of entries that were given back, by source", async () => {
    const { handlers, planOf } = missing([LEADS, PAYMENTS]);
    expect(await handlers.leftKinds("agency")).toEqual([]);
    await planOf();
    await planOf({ kind: "lead.updated" }, "lead.updated");
    expect(await handlers.leftKinds("agency")).toEqual(["lead.created", "lead.updated"]);
    expect(await handlers.leftKinds("crm")).toEqual([]);
  });

  it("are claimed again once there is a handler here", async () => {
    const { handlers, state, planOf } = missing([LEADS]);
    await planOf();
    state.handled = ["lead.created"];
    expect(await handlers.leftKinds("agency")).toEqual([]);
  });

  it("are claimed again within a second after the other process has gone", async () => {
    const { handlers, state, planOf } = missing([LEADS]);
    await planOf();
    state.runners = [];
    expect(await handlers.leftKinds("agency")).toEqual(["lead.created"]);
    expect(state.reads).toBe(1);
    await new Promise((resolve) => setTimeout(resolve, 1010));
    expect(await handlers.leftKinds("agency")).toEqual([]);
  });

  it("stay as they are while the store fails", async () => {
    const { handlers, state, planOf } = missing([LEADS]);
    await planOf();
    state.runners = undefined;
    await new Promise((resolve) => setTimeout(resolve, 1010));
    expect(await handlers.leftKinds("agency")).toEqual(["lead.created"]);
  });

  it("are limited in number: entries of further kinds wait instead", async () => {
    const { handlers, planOf } = missing([{ kinds: ["*"] }]);
    for (let n = 0; n < 100; n++)
      expect(await planOf({ kind: `x.${n}` }, `x.${n}`)).toEqual({ leave: true });
    expect(await planOf({ kind: "x.100" }, "x.100")).toEqual(LATER);
    expect(await planOf({ kind: "x.5" }, "x.5")).toEqual({ leave: true });
    expect(await handlers.leftKinds("agency")).toHaveLength(100);
  });

  it("need one look at the others for any number of entries at once", async () => {
    const { state, planOf } = missing([LEADS]);
    await Promise.all(Array.from({ length: 50 }, () => planOf()));
    expect(state.reads).toBe(2); // the first, and one for all that came during it
  });
});
