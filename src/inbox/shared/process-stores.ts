import { randomBytes } from "node:crypto";
import { VERSION } from "../../base/package/version.ts";
import type { Inbox } from "../inbox.ts";
import { type SharedStore, shareStore } from "./shared-store.ts";

interface ProcessStores {
  /** Random: stands for this process, or this thread, in every inbox. */
  readonly id: string;
  receivers: number;
  readonly stores: Map<string, SharedStore>;
  /** Numbers of objects, such as pools, which are parts of names. */
  readonly numbers: WeakMap<object, number>;
  objects: number;
}

/**
 * What this process has open. A bundle, a development reload, or the ES and the CommonJS build are
 * several programs in one process: those of one version share this.
 */
function processStores(): ProcessStores {
  const key = Symbol.for(`hookporter.inboxes@${VERSION}`);
  const all = globalThis as { [key]?: ProcessStores };
  all[key] ??= {
    id: randomBytes(8).toString("hex"),
    receivers: 0,
    stores: new Map(),
    numbers: new WeakMap(),
    objects: 0,
  };
  return all[key];
}

/**
 * The name of a store that is opened on these terms: equal for equal values and the same objects
 * and functions.
 */
export function nameFor(terms: object): string {
  const here = processStores();
  const part = (value: unknown) => {
    if ((typeof value !== "object" && typeof value !== "function") || value === null) return value;
    const number = here.numbers.get(value) ?? ++here.objects;
    here.numbers.set(value, number);
    return { number };
  };
  return JSON.stringify(Object.entries(terms).map(([name, value]) => [name, part(value)]));
}

export function receiverId(): string {
  const here = processStores();
  here.receivers++;
  return `${here.id}.${here.receivers}`;
}

/**
 * The store that this process has under one of these names, or else a new one, which has them all
 * from now on.
 */
export function storeOf(names: readonly string[], make: (process: string) => Inbox): SharedStore {
  const { id, stores } = processStores();
  for (const [name, store] of stores) if (store.isUnused()) stores.delete(name);
  const store = names.flatMap((name) => stores.get(name) ?? [])[0] ?? shareStore(id, make(id));
  for (const name of names) stores.set(name, store);
  return store;
}

/** Leaves a store these names only. */
export function rename(store: SharedStore, names: readonly string[]): void {
  const { stores } = processStores();
  for (const [name, known] of stores) if (known === store) stores.delete(name);
  for (const name of names) stores.set(name, store);
}
