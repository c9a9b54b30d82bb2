import packageJson from "../../../package.json" with { type: "json" };

/** The oldest version of Node.js that hookporter runs on. */
export const OLDEST_NODE: string = packageJson.engines.node.replace(">=", "");

/** What to say if a version of Node.js is too old; `undefined` if it is not. */
export function tooOld(version: string): string | undefined {
  if (isAtLeast(version, OLDEST_NODE)) return undefined;
  return `hookporter needs Node.js ${OLDEST_NODE} or newer, and this is ${version}: install a newer one`;
}

/** Compares versions of three numbers. */
export function isAtLeast(version: string, oldest: string): boolean {
  const numbers = (text: string) => text.split(".").map((part) => Number.parseInt(part, 10));
  const had = numbers(version);
  const needed = numbers(oldest);
  const differs = needed.findIndex((number, index) => number !== (had[index] ?? 0));
  return differs === -1 || (had[differs] ?? 0) > (needed[differs] ?? 0);
}
