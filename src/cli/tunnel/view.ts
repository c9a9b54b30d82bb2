import type { TunnelEvent } from "../../tunnel/tunnel-event.ts";
import { clockTime } from "../live/view.ts";
import type { Output } from "../output.ts";
import { printable } from "../printable.ts";
import type { TunnelName } from "./options.ts";

/** How an address that somebody else keeps is named in records. */
export const PUBLIC_URL = "public-url";

/** The tunnel that has no third party in it. */
const OWN_SERVER: TunnelName = "ssh";

const LONGEST_LINE = 600;

/** Tells a change of a tunnel's state, and what it means for whoever runs it. */
export function showTunnel(name: string, event: TunnelEvent, output: Output, now: number): void {
  const { state, url = null, previousUrl = null, failure } = event;
  const { code = null, message = null, fix = null } = failure ?? {};
  output.record("tunnel", { name, state, url, previousUrl, code, message, fix });
  if (state === "failed") return; // the command ends with it, as its error
  const talk = (line: string) => output.talk(printable(line, LONGEST_LINE));
  const where = state === "online" ? ` at ${url}` : "";
  const why = failure === undefined ? "" : `: ${message} (${code}); ${fix}`;
  talk(`${clockTime(now)}  ${label(name)}: ${state}${where}${why}`);
  if (previousUrl !== null) talk(`          the address was ${previousUrl}: change it at the service`);
}

/** What whoever opens a way from outside must know, once. */
export function warnOfThePublic(name: string, output: Output): void {
  if (name !== PUBLIC_URL && name !== OWN_SERVER)
    output.talk("          deliveries pass in the clear through the servers of a third party");
  output.talk("          anybody can send to this address: only what is signed with the secret is kept");
}

function label(name: string): string {
  return name === PUBLIC_URL ? "public address" : `tunnel ${name}`;
}
