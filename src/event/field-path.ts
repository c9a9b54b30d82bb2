import { cutText } from "../base/text/cut-text.ts";

const MAX_STEP = 64;
const MAX_FIELD = 512;

/**
 * A step as {@link fieldOf} writes it: `.name`, `[2]`, or `["any key"]`; the first one may do
 * without its point.
 */
const STEP = /^\.?([\p{L}_$][\p{L}\p{N}_$-]*)|^\[(\d+)\]|^\[("(?:[^"\\]|\\.)*")\]/u;

/** The way to a value, such as `data.rooms[2].area`; each step is cut at 64 bytes. */
export function fieldOf(root: string, steps: readonly PropertyKey[]): string {
  const shown = steps.map((step) => {
    const name = cutText(String(step), MAX_STEP);
    if (typeof step === "number" || /^\d+$/.test(name)) return `[${name}]`;
    return /^[\p{L}_$][\p{L}\p{N}_$-]*…?$/u.test(name) ? `.${name}` : `[${JSON.stringify(name)}]`;
  });
  return cutText(`${root}${shown.join("")}`, MAX_FIELD);
}

/** The steps of such a way; `undefined` for a text that is none. */
export function stepsOf(field: string): readonly string[] | undefined {
  const steps: string[] = [];
  for (let rest = field; rest !== ""; ) {
    const match = STEP.exec(rest);
    if (match === null) return undefined;
    const [whole, name, index, quoted] = match;
    steps.push(name ?? index ?? (JSON.parse(quoted as string) as string));
    rest = rest.slice(whole.length);
  }
  return steps.length === 0 ? undefined : steps;
}

/** The value that steps lead to; `undefined` if there is none. Only own members count. */
export function memberAt(value: unknown, steps: readonly PropertyKey[]): unknown {
  let found = value;
  for (const step of steps) {
    if (typeof found !== "object" || found === null || !Object.hasOwn(found, step))
      return undefined;
    found = (found as Record<PropertyKey, unknown>)[step];
  }
  return found;
}
