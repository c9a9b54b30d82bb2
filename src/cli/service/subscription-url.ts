import { HookporterError } from "../../errors.ts";
import { isLoopback } from "../../is-loopback.ts";
import { shownUrl } from "../../shown-url.ts";
import type { Output } from "../output.ts";

/**
 * Whether the service can deliver to a URL, as far as its name tells.
 *
 * @throws HookporterError `usage` for this machine, unless the service runs here too
 */
export function checkSubscriptionUrl(url: URL, baseUrl: string, output: Output): void {
  if (url.hash !== "") throw new HookporterError("usage", "expected a URL without a fragment");
  if (isLoopback(url) && !isLoopback(new URL(baseUrl))) {
    throw new HookporterError(
      "usage",
      `expected a URL that the service can reach, got this machine: ${shownUrl(url)} ` +
        "(a tunnel gives it a public address)",
    );
  }
  if (url.protocol === "http:" && !isLoopback(url))
    output.talk("warning: plain http: anybody on the way can read deliveries; the service recommends https");
}
