import { expect, it } from "vitest";
import { handlerContext, OwnSignal } from "../../../src/dispatch/runs/handler-context.ts";
import type { Logger } from "../../../src/entries/index.ts";
import type { ClaimedEntry } from "../../../src/inbox/claim.ts";
import { haveOneHiddenClass } from "../../hidden-class.ts";

const ENTRY: ClaimedEntry = {
  seq: 7,
  lease: "a.1",
  kind: "order.created",
  orderKey: null,
  runAt: 5,
  attempts: 2,
  finishedHandlers: [],
  key: { source: "service", eventId: "evt_1", timestamp: 4 },
  delivery: { method: "POST", target: "/", headers: {}, body: new Uint8Array(3), receivedAt: 4 },
};

/** A context, and the fields of what it logs. */
function make() {
  const lines: object[] = [];
  const note = (fields: unknown) => void lines.push(fields as object);
  const logger = { debug: note, info: note, warn: note, error: note } as Logger;
  const own = new OwnSignal();
  return { context: handlerContext(ENTRY, logger, own, () => {}), own, lines };
}

it("has a signal and a logger of its own", () => {
  const { context, own, lines } = make();
  expect(context.signal).toBe(own.signal);
  context.log.info({ more: true }, "a line");
  expect(lines).toEqual([{ eventId: "evt_1", kind: "order.created", attempt: 2, more: true }]);
  expect(context.log).toBe(context.log);
});

it("can be spread, inherited from and wrapped in a proxy, with all of its fields", () => {
  const { context, own, lines } = make();
  const names = ["attempt", "delivery", "log", "note", "orderKey", "seq", "signal"];
  expect(Object.keys(context).sort()).toEqual(names);
  for (const other of [{ ...context }, Object.create(context), new Proxy(context, {})]) {
    expect(other).toMatchObject({ attempt: 2, seq: 7, orderKey: null, delivery: ENTRY.delivery });
    expect(other.signal).toBe(own.signal);
    other.log.info({}, "a line");
  }
  expect(lines).toHaveLength(3);
});

it("contexts have one hidden class", () => {
  expect(haveOneHiddenClass(make().context, make().context)).toBe(true);
  expect(haveOneHiddenClass(make().context, { ...make().context })).toBe(false);
});
