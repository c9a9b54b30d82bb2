import { isRecord } from "../../base/guards.ts";
import type { Listeners } from "../../base/listeners.ts";
import { invalid, invalidOption } from "../../base/options/check-options.ts";
import { VERSION } from "../../base/package/version.ts";
import type { Inbox } from "../inbox.ts";

interface HeldStore {
  readonly store: Inbox;
}

/** The store that a receiver uses, and who hears of the milliseconds that its commits take. */
export interface UsedStore extends HeldStore {
  readonly commits: Listeners<number>;
}

/**
 * What is held without being shown: by the handle that a receiver is given, and by the view that it
 * returns.
 */
interface HeldBy {
  readonly handle: HeldStore;
  readonly view: UsedStore;
}

type Holder = keyof HeldBy;

/** Known to every copy of the package in a process, such as the ES and the CommonJS build. */
const HELD: Readonly<Record<Holder, symbol>> = {
  handle: Symbol.for("hookporter.inbox-handle"),
  view: Symbol.for("hookporter.inbox-view"),
};

/**
 * Makes an object hold a store. It is not enumerable, so that nobody prints it, and with it a
 * password.
 */
export function holdStore<Value extends object, By extends Holder>(
  value: Value,
  as: By,
  held: HeldBy[By],
): Value {
  return Object.defineProperty(value, HELD[as], { value: { version: VERSION, ...held } });
}

/**
 * What an object holds, with its store.
 *
 * @param expected - what the object should have been, for the message
 * @throws ConfigurationError `option_invalid` if it holds none, or was made by another version of
 * the package
 */
export function heldStore<By extends Holder>(
  value: unknown,
  as: By,
  expected: string,
  fix: string,
): HeldBy[By] {
  const held = isRecord(value)
    ? (Reflect.get(value, HELD[as], value) as (HeldBy[By] & { version: string }) | undefined)
    : undefined;
  if (held === undefined) throw invalid(expected, value, fix);
  if (held.version !== VERSION) {
    throw invalidOption(
      `expected one version of hookporter, ${VERSION}, got an inbox of version ${held.version}: install one only; ` +
        "npm ls hookporter shows where others come from",
    );
  }
  return held;
}
