import { HookporterError } from "../../errors.ts";
import { isLoopback } from "../../http/is-loopback.ts";
import { shownUrl } from "../../text/shown-url.ts";
import type { Output } from "../output.ts";

/**
 * Checks whether the service can deliver to a URL, judging by its name.
 *
 * @throws HookporterError `usage` for this machine, unless the service runs here too
 */
export function checkSubscriptionUrl(url: URL, baseUrl: string, output: Output): void {
  if (url.hash !== "")
    throw new HookporterError("usage", "expected a URL without a fragment, got one: remove the part after #");
  if (isLoopback(url) && !isLoopback(new URL(baseUrl))) {
    throw new HookporterError(
      "usage",
      `expected a URL that the service can reach, got this machine: ${shownUrl(url)} ` +
        "(a tunnel provides a public address)",
    );
  }
  if (url.protocol === "http:" && !isLoopback(url))
    output.talk("warning: plain HTTP lets others read deliveries on the way; the service recommends HTTPS");
}
