import type { InboxHandle } from "../../../src/inbox/shared/handle.ts";
import { handleOf } from "../store-behind.ts";

const NOT_HERE = new Error("this inbox stores nothing");

/** An inbox that accepts everything and stores nothing, to measure the receiver without a store. */
export function noStore(): InboxHandle {
  let seq = 0;
  const never = async (): Promise<never> => {
    throw NOT_HERE;
  };
  return handleOf({
    open: async () => {},
    append: async () => ({ seq: ++seq, duplicate: false, state: "handled" }),
    touch: async () => undefined,
    claim: async () => [],
    renew: async () => [],
    settle: never,
    nextRunAt: async () => undefined,
    retry: never,
    reschedule: never,
    drop: never,
    waiting: async () => [],
    list: async () => [],
    prune: async () => ({ changed: 0, next: undefined }),
    slim: async () => ({ changed: 0, next: undefined }),
    delivery: async () => undefined,
    attempts: async () => [],
    counts: async () => ({
      waiting: 0,
      running: 0,
      handled: seq,
      dead: 0,
      received: 0,
      failing: 0,
    }),
    close: async () => {},
  });
}
