import { basename, resolve } from "node:path";
import { HookporterError } from "../errors.ts";

/** npm's rules for a new package's name, a scope included. */
const PACKAGE_NAME = /^(?:@[a-z0-9][a-z0-9._-]*\/)?[a-z0-9][a-z0-9._-]*$/;
const MAX_LENGTH = 214;
const RESERVED = new Set(["node_modules", "favicon.ico"]);

/** The name of a project where nothing better can be made of its folder's. */
export const DEFAULT_PROJECT_NAME = "my-receiver";

/** Why a text cannot name a project, as expected and got; `undefined` where it can. */
export function nameProblem(name: string): string | undefined {
  if (name.length <= MAX_LENGTH && PACKAGE_NAME.test(name) && !RESERVED.has(name)) return undefined;
  return `expected a project name that npm takes (lower case, digits, "-", "_", "."; at most ${MAX_LENGTH} characters), got ${JSON.stringify(name)}`;
}

/**
 * Checks a project's name.
 *
 * @throws HookporterError `option_invalid`
 */
export function checkProjectName(name: string): void {
  const problem = nameProblem(name);
  if (problem !== undefined) throw new HookporterError("option_invalid", problem);
}

/** A valid name made of a folder's: `/home/ada/My Receiver` gives `my-receiver`. */
export function projectNameOf(directory: string): string {
  const name = basename(resolve(directory))
    .toLowerCase()
    .replace(/[^a-z0-9._-]+/g, "-")
    .replace(/^[._-]+|-+$/g, "")
    .slice(0, MAX_LENGTH);
  return nameProblem(name) === undefined ? name : DEFAULT_PROJECT_NAME;
}
