import type { TunnelEvent } from "../../relay/tunnel/tunnel-event.ts";
import { clockTime } from "../live/row.ts";
import { type Output, printable } from "../output.ts";
import type { TunnelName } from "./tunnel-options.ts";

/** The name in records of an address that the user maintains. */
export const PUBLIC_URL = "public-url";

/** The tunnel that involves no third party. */
const OWN_SERVER: TunnelName = "ssh";

const LONGEST_LINE = 600;

/**
 * Prints a change of a tunnel's state, and what it means for the user: `--subscribe` tells the
 * service about each address.
 */
export function showTunnel(
  name: string,
  event: TunnelEvent,
  output: Output,
  { now, subscribes }: { readonly now: number; readonly subscribes: boolean },
): void {
  const { state, url = null, previousUrl = null, failure } = event;
  const { code = null, message = null, fix = null } = failure ?? {};
  output.record("tunnel", { name, state, url, previousUrl, code, message, fix });
  if (state === "failed") return; // the command ends with this as its error
  const talk = (line: string) => output.talk(printable(line, LONGEST_LINE));
  const where = state === "online" ? ` at ${url}` : "";
  const why = failure === undefined ? "" : `: ${message} (${code}); ${fix}`;
  const label = name === PUBLIC_URL ? "public address" : `tunnel ${name}`;
  talk(`${clockTime(now)}  ${label}: ${state}${where}${why}`);
  if (previousUrl === null) return;
  talk(`          the address was ${previousUrl}${subscribes ? "" : ": change it at the service"}`);
}

/** Prints once what the user of a public address must know. */
export function warnOfThePublic(name: string, output: Output): void {
  if (name !== PUBLIC_URL && name !== OWN_SERVER)
    output.talk("          a third party's servers can read the deliveries that pass through them");
  output.talk(
    "          anyone can send to this address; only deliveries signed with the secret are kept",
  );
}
