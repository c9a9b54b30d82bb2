import { setFlagsFromString } from "node:v8";

/**
 * Whether V8 has one hidden class for both objects. If it makes one for each object, all code that
 * uses them is slow, and full garbage collections are frequent.
 */
export function haveOneHiddenClass(a: object, b: object): boolean {
  setFlagsFromString("--allow-natives-syntax");
  try {
    return new Function("one", "other", "return %HaveSameMap(one, other)")(a, b);
  } finally {
    setFlagsFromString("--no-allow-natives-syntax");
  }
}
