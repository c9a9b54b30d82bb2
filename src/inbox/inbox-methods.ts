import type { Inbox } from "./inbox.ts";

/** The names of a type's members that may be left out. */
type OptionalNames<Type> = {
  [Name in keyof Type]-?: undefined extends Type[Name] ? Name : never;
}[keyof Type];
type Names<All extends PropertyKey> = readonly All[];

/** The types keep both lists complete. */
type Methods<All extends PropertyKey> = Readonly<Record<All, true>>;
type Optional = Exclude<
  OptionalNames<Inbox>,
  "damage" | "supportsNotify" | "insideLimit" | "isPaused" | "vitals"
>;
type Required = Exclude<keyof Inbox, OptionalNames<Inbox>>;

const REQUIRED: Methods<Required> = {
  open: true,
  append: true,
  touch: true,
  claim: true,
  renew: true,
  settle: true,
  nextRunAt: true,
  retry: true,
  list: true,
  prune: true,
  slim: true,
  delivery: true,
  attempts: true,
  counts: true,
  reschedule: true,
  drop: true,
  waiting: true,
  close: true,
};
const OPTIONAL: Methods<Optional> = {
  register: true,
  unregister: true,
  runners: true,
  now: true,
  onDue: true,
  makeDue: true,
  backlog: true,
  inside: true,
  outlines: true,
  senders: true,
  recordSender: true,
  eraseAlone: true,
  erase: true,
  endErasure: true,
  pauses: true,
  pause: true,
  resume: true,
  newRetry: true,
  paceRetry: true,
  endRetry: true,
};

export const INBOX_METHODS = Object.keys(REQUIRED) as Names<Required>;

export const OPTIONAL_INBOX_METHODS = Object.keys(OPTIONAL) as Names<Optional>;
