import { postgresInbox } from "../../src/entries/index.ts";
import type { Inbox } from "../../src/inbox/inbox.ts";
import type { InboxHandle } from "../../src/inbox/shared/handle.ts";

/**
 * Where a build keeps the store behind a handle or a receiver's `inbox`. One of before keeps it in
 * the open.
 */
const HELD = ["hookporter.inbox-handle", "hookporter.inbox-view"].map(Symbol.for);

/** The store behind what `postgresInbox` returns, or behind a receiver's `inbox`. */
export function storeBehind(holder: object): Inbox {
  const [held] = HELD.flatMap((symbol) => Reflect.get(holder, symbol) ?? []);
  return held?.store ?? holder;
}

/** A store of the bench's own as a receiver takes it. */
export function handleOf(store: Inbox): InboxHandle {
  const sample = postgresInbox("postgres://127.0.0.1/never-opened");
  const [symbol] = HELD.filter((one) => Reflect.get(sample, one) !== undefined);
  if (symbol === undefined) return store as unknown as InboxHandle;
  return { [symbol]: { ...Reflect.get(sample, symbol), store } } as unknown as InboxHandle;
}
