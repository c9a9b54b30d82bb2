import { isRecord } from "../../base/guards.ts";
import { invalid, invalidOption } from "../../options/check-options.ts";
import { VERSION } from "../../package/version.ts";

/**
 * What holds a store without showing it: the handle that a receiver is given, or the view that it
 * returns.
 */
export type Holder = "handle" | "view";

interface Held<Store> {
  readonly version: string;
  readonly store: Store;
}

/** Known to every copy of the package in a process, such as the ES and the CommonJS build. */
const HELD: Readonly<Record<Holder, symbol>> = {
  handle: Symbol.for("hookporter.inbox-handle"),
  view: Symbol.for("hookporter.inbox-view"),
};

/**
 * Makes an object hold a store. It is not enumerable, so that nobody prints it, and with it a
 * password.
 */
export function holdStore<Value extends object>(value: Value, as: Holder, store: object): Value {
  const held: Held<object> = { version: VERSION, store };
  return Object.defineProperty(value, HELD[as], { value: held });
}

/**
 * The store that an object holds.
 *
 * @param expected - what the object should have been, for the message
 * @throws ConfigurationError `option_invalid` if it holds none, or was made by another version of
 * the package
 */
export function heldStore<Store>(value: unknown, as: Holder, expected: string, fix: string): Store {
  const held = isRecord(value)
    ? (Reflect.get(value, HELD[as], value) as Held<Store> | undefined)
    : undefined;
  if (held === undefined) throw invalid(expected, value, fix);
  if (held.version !== VERSION) {
    throw invalidOption(
      `expected one version of hookporter, ${VERSION}, got an inbox of version ${held.version}: install one only; ` +
        "npm ls hookporter shows where others come from",
    );
  }
  return held.store;
}
