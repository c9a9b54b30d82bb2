import { describe, expect, it } from "vitest";
import type { ClaimedEntry } from "../../../src/inbox/claim.ts";
import { memoryInbox } from "../../../src/inbox/memory.ts";
import type { Role, Runner } from "../../../src/inbox/runner.ts";
import { HandlerSet } from "../../../src/receiver/handlers/handler-set.ts";
import { MissingHandlers } from "../../../src/receiver/handlers/missing-handlers.ts";
import type { Router } from "../../../src/receiver/handlers/router.ts";
import { deliveryOf, envelope, NOW } from "../sample.ts";

const PATIENCE = 600_000;
const LATER = { type: "wait", ms: 10_000, reason: "no_handler" };
const PATIENT = { type: "wait", ms: PATIENCE, reason: "awaits_handler" };

const UNHANDLED = { type: "end", state: "received", reason: "no_handler" };
const LEAVE = { type: "leave" };

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
  const router = {
    get handlers() {
      const named = { name: "lead.*", handler: () => {} };
      const matches = (kind: string) => state.handled.includes(kind);
      const route = { matches, pattern: "lead.*", patterns: ["lead.*"], named };
      return new HandlerSet({ routes: isEmpty ? [] : [route] });
    },
  };
  const settings = { role, unhandledAfter, clock: () => NOW };
  const here = { id: "own", startedAt: () => NOW };
  const handlers = new MissingHandlers(settings, { inbox, router: router as Router }, here);
  const planOf = async (parts: Partial<ClaimedEntry> = {}, kind = "lead.created") =>
    handlers.plan({ ...lead(), ...parts }, kind);
  return { handlers, state, planOf };
}

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
  const waited = { reason: "awaits_handler" } as const;
  const before = { delivery: { ...deliveryOf(envelope()), receivedAt: NOW - 1 } };
  const only = (parts: Partial<Runner>) => [{ ...LEADS, ...parts }];

  it.each<[string, object, (readonly Partial<Runner>[])?, Partial<ClaimedEntry>?, Terms?]>([
    ["ends if the inbox has no other processes", UNHANDLED],
    ["ends if no other process is registered", UNHANDLED, []],
    ["ends if only processes of other sources are", UNHANDLED, only({ sources: ["crm"] })],
    ["is left to a process that has a handler", LEAVE, [PAYMENTS, LEADS]],
    ["is left to one that only runs", LEAVE, only({ role: "run" })],
    ["is left to one after an attempt too", LEAVE, [LEADS], { attempts: 3 }],
    ["waits if another has other handlers", PATIENT, [PAYMENTS]],
    ["waits if another has its handlers, but only receives", PATIENT, only({ role: "receive" })],
    ["waits in a process that only receives, even alone", PATIENT, [], {}, { role: "receive" }],
    ["ends once it has waited", UNHANDLED, [PAYMENTS], waited],
    ["is still left to another once it has waited", LEAVE, [LEADS], waited],
    ["waits again if it is claimed sooner", PATIENT, [PAYMENTS], { ...waited, dueAt: NOW + 1 }],
    ["waits if it waited for something else", PATIENT, [PAYMENTS], { reason: "no_handler" }],
    ["ends without patience", UNHANDLED, [PAYMENTS], {}, { unhandledAfter: 0 }],
    ["is never given up after an attempt", LATER, [], { attempts: 2 }],
    ["from before the start waits if no handlers are here", LATER, [], before, { isEmpty: true }],
    ["from before the start ends if others are", UNHANDLED, [], before],
  ])("%s", async (_, plan, others, parts, terms) => {
    expect(await missing(others, terms).planOf(parts)).toEqual(plan);
  });

  it("is looked at again if the store fails, or if only this event has none and another process has one, and its kind is still claimed", async () => {
    const { handlers, state, planOf } = missing([LEADS]);
    state.handled = ["lead.created"];
    expect(await planOf()).toEqual(LATER);
    expect(await handlers.leftKinds("agency")).toEqual([]);
    const failing = missing([]);
    failing.state.runners = undefined;
    expect(await failing.planOf()).toEqual(LATER);
  });
});

describe("the kinds that are left to others", () => {
  it("are those of entries that were given back, by source, until there is a handler here", async () => {
    const { handlers, state, planOf } = missing([LEADS, PAYMENTS]);
    expect(await handlers.leftKinds("agency")).toEqual([]);
    await planOf();
    await planOf({ kind: "lead.updated" }, "lead.updated");
    expect(await handlers.leftKinds("agency")).toEqual(["lead.created", "lead.updated"]);
    expect(await handlers.leftKinds("crm")).toEqual([]);
    state.handled = ["lead.created"];
    expect(await handlers.leftKinds("agency")).toEqual(["lead.updated"]);
  });

  it.each([
    ["are claimed again within a second after the other process has gone", [], []],
    ["stay as they are while the store fails", undefined, ["lead.created"]],
  ])("%s", async (_, runners, kinds) => {
    const { handlers, state, planOf } = missing([LEADS]);
    await planOf();
    state.runners = runners;
    expect(await handlers.leftKinds("agency")).toEqual(["lead.created"]);
    expect(state.reads).toBe(1);
    await new Promise((resolve) => setTimeout(resolve, 1010));
    expect(await handlers.leftKinds("agency")).toEqual(kinds);
  });

  it("are limited in number: entries of further kinds wait instead", async () => {
    const { handlers, planOf } = missing([{ kinds: ["*"] }]);
    for (let n = 0; n < 100; n++) expect(await planOf({ kind: `x.${n}` }, `x.${n}`)).toEqual(LEAVE);
    expect(await planOf({ kind: "x.100" }, "x.100")).toEqual(LATER);
    expect(await planOf({ kind: "x.5" }, "x.5")).toEqual(LEAVE);
    expect(await handlers.leftKinds("agency")).toHaveLength(100);
  });

  it("need one look at the others for any number of entries at once", async () => {
    const { state, planOf } = missing([LEADS]);
    await Promise.all(Array.from({ length: 50 }, () => planOf()));
    expect(state.reads).toBe(2); // the first, and one for all that came during it
  });
});
