import type { InboxHandle } from "../../../src/inbox/shared/handle.ts";
import { handleOf } from "../store-behind.ts";

const NOT_HERE = new Error("this inbox stores nothing");

/** An inbox that accepts everything and stores nothing, to measure the receiver without a store. */
export function noStore(): InboxHandle {
  let seq = 0;
  const never = async (): Promise<never> => {
    throw NOT_HERE;
  };
  const nothing = async () => {};
  const none = async () => [];
  return handleOf({
    now: undefined,
    supportsNotify: false,
    damage: undefined,
    insideLimit: undefined,
    isPaused: false,
    open: nothing,
    close: nothing,
    register: async () => nothing,
    runners: none,
    append: async () => ({ seq: ++seq, duplicate: false, state: "handled" }),
    touch: async () => undefined,
    backlog: async () => 0,
    recordSender: never,
    claim: none,
    nextRunAt: async () => undefined,
    renew: none,
    settle: never,
    inside: never,
    reschedule: never,
    prune: async () => ({ changed: 0, next: undefined }),
    slim: async () => ({ changed: 0, next: undefined }),
    list: none,
    outlines: none,
    delivery: async () => undefined,
    attempts: none,
    counts: async () => ({
      waiting: 0,
      running: 0,
      handled: seq,
      dead: 0,
      received: 0,
      failing: 0,
    }),
    waiting: none,
    size: async () => ({ bytes: 0 }),
    senders: none,
    retry: never,
    drop: never,
    pauses: async () => ({ paused: [], retries: [] }),
    pause: never,
    resume: never,
    newRetry: never,
    endRetry: never,
    erase: never,
  });
}
