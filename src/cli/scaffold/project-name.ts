import { basename, resolve } from "node:path";
import { trimEndOf } from "../../base/text/trim-end.ts";

/** npm's rules for a new package's name, including a scope. */
const PACKAGE_NAME = /^(?:@[a-z0-9][a-z0-9._-]*\/)?[a-z0-9][a-z0-9._-]*$/;
const MAX_LENGTH = 214;
const RESERVED = new Set(["node_modules", "favicon.ico"]);
/** The project name if none can be derived from the folder's. */
export const DEFAULT_PROJECT_NAME = "my-receiver";

/** Why a text is not a valid project name, as expected and got; `undefined` if it is. */
export function nameProblem(name: string): string | undefined {
  if (name.length <= MAX_LENGTH && PACKAGE_NAME.test(name) && !RESERVED.has(name)) return undefined;
  return `expected a valid npm package name (lower case, digits, "-", "_", "."; at most ${MAX_LENGTH} characters), got ${JSON.stringify(name)}`;
}

/** Derives a valid name from a folder's: `/home/ada/My Receiver` becomes `my-receiver`. */
export function projectNameOf(directory: string): string {
  const words = basename(resolve(directory))
    .toLowerCase()
    .replace(/[^a-z0-9._-]+/g, "-");
  const name = trimEndOf(words.replace(/^[._-]+/, ""), "-").slice(0, MAX_LENGTH);
  return nameProblem(name) === undefined ? name : DEFAULT_PROJECT_NAME;
}
