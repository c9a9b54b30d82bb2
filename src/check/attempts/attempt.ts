import type { Cause } from "../../signature/diagnose/causes.ts";
import type { PostOptions, Probe } from "../probe.ts";

/** A delivery that is accepted only by a receiver with one particular fault. */
export interface Attempt {
  /** The fault and its fix, in whole sentences. */
  readonly cause: string;
  /** Makes the body. */
  readonly body: () => Buffer;
  /** How it is sent, given the 64 digits that such a receiver computes, or wrong ones. */
  readonly as: (digits: string) => PostOptions;
  /** The digits that such a receiver computes of the body. */
  readonly digest: (body: Buffer) => string;
  /** Makes valid bodies that a receiver with this fault refuses. Default: the plain event. */
  readonly valid?: () => readonly Buffer[];
}

/** An attempt with the plain event and its digest, sent as usual, but for what is given. */
export function attempt(probe: Probe, cause: string, own: Partial<Attempt>): Attempt {
  return {
    cause,
    body: () => probe.body(),
    digest: (body) => probe.digest(body),
    as: (digits) => ({ signature: `sha256=${digits}` }),
    ...own,
  };
}

/**
 * A cause of `verify` and its fix in the words of `check`: what signs is the receiver, which
 * computes what it compares.
 */
export function inReceiver({
  meaning,
  detail,
  fix,
}: Pick<Cause, "meaning" | "detail" | "fix">): string {
  const said = detail === null ? meaning : `${meaning} (${detail})`;
  return `${said}. ${fix.slice(0, 1).toUpperCase()}${fix.slice(1)}.`
    .replace(/\bsign(ed)?\b/g, (_, ed?: string) => (ed === undefined ? "verify" : "verified"))
    .replaceAll("on the signing side", "in the receiver")
    .replaceAll("on this side", "here");
}
