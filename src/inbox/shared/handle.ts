import type { Inbox } from "../inbox.ts";
import { heldStore, holdStore } from "./held-store.ts";

declare const opaque: unique symbol;

/** An inbox to pass to a receiver, as `postgresInbox` returns it. It has no members of its own. */
export interface InboxHandle {
  readonly [opaque]: "InboxHandle";
}

export function handleOf(store: Inbox): InboxHandle {
  return Object.freeze(holdStore({}, "handle", { store })) as InboxHandle;
}

/** @throws ConfigurationError `option_invalid` for anything but a handle that this version made */
export function storeOf(handle: unknown): Inbox {
  return heldStore(
    handle,
    "handle",
    'inbox to be a file path, a postgres:// URL, "memory:" or what postgresInbox returns',
    "name a file or a database, or pass postgresInbox(…)",
  ).store;
}
