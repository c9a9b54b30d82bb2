import { type Check, invalid } from "../../options/check-options.ts";

/**
 * Whether a raw request target is the endpoint: compared exactly up to the first `?`, but a closing
 * slash more or less is the same endpoint. Nothing is decoded or resolved, so that no other
 * spelling of a path leads here.
 */
export function isEndpoint(target: string, path: string): boolean {
  if (target === path) return true;
  const [asked = ""] = target.split("?", 1);
  if (asked === path) return true;
  const bare = path.replace(/(?<=[^/])\/$/, "");
  return asked === bare || (bare !== "/" && asked === `${bare}/`);
}

export const checkPath: Check = (given, name) => {
  if (typeof given === "string" && /^\/[^?#\s]*$/.test(given)) return;
  const fix = "pass only the path, such as /webhooks; any query is accepted";
  throw invalid(`${name} to begin with a slash and to have no query`, given, fix);
};
