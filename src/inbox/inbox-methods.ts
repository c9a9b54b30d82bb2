import type { ManagedInbox, RunningInbox } from "./inbox.ts";

/** The names of an interface's methods; the type keeps each list complete. */
type MethodsOf<Interface> = Readonly<Record<MethodName<Interface>, true>>;

type MethodName<Interface> = {
  [Name in keyof Interface]: Interface[Name] extends (...given: never[]) => unknown ? Name : never;
}[keyof Interface];

const RUNNING: MethodsOf<RunningInbox> = {
  open: true,
  close: true,
  register: true,
  runners: true,
  append: true,
  touch: true,
  backlog: true,
  recordSender: true,
  claim: true,
  nextRunAt: true,
  renew: true,
  settle: true,
  inside: true,
  reschedule: true,
  prune: true,
  slim: true,
};

const MANAGED: MethodsOf<ManagedInbox> = {
  list: true,
  outlines: true,
  delivery: true,
  attempts: true,
  counts: true,
  waiting: true,
  size: true,
  senders: true,
  retry: true,
  drop: true,
  pauses: true,
  pause: true,
  resume: true,
  newRetry: true,
  endRetry: true,
  erase: true,
};

export const RUNNING_METHODS = Object.keys(RUNNING) as readonly MethodName<RunningInbox>[];

export const MANAGED_METHODS = Object.keys(MANAGED) as readonly MethodName<ManagedInbox>[];
