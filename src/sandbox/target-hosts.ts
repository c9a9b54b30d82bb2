import { isLoopback } from "../http/is-loopback.ts";

/** A host name, a pattern for its subdomains, or `*`. */
const PATTERN = /^(?:\*|(?:\*\.)?[a-z0-9_-]+(?:\.[a-z0-9_-]+)*|\[[0-9a-f:.]+\])$/i;

/** Whether a text is a valid pattern for {@link isAllowedTarget}. */
export function isHostPattern(text: unknown): text is string {
  return typeof text === "string" && PATTERN.test(text);
}

/**
 * Whether deliveries may go to a URL: to this machine, or to an allowed host. A subscription makes the sandbox post to any
 * URL, so it must not lead into a network that only this machine can reach.
 */
export function isAllowedTarget(target: URL, allowed: readonly string[]): boolean {
  if (isLoopback(target)) return true;
  const host = target.hostname.toLowerCase();
  return allowed.some((pattern) => {
    const wanted = pattern.toLowerCase();
    if (wanted === "*") return true;
    return wanted.startsWith("*.") ? host.endsWith(wanted.slice(1)) : host === wanted;
  });
}
