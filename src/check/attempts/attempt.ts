import type { PostOptions } from "../delivery.ts";
import type { Probe } from "../probe.ts";
import type { AttemptFault } from "./attempt-cause.ts";

/** How a delivery is made and sent that a receiver with one particular fault accepts. */
export interface AttemptForm {
  /** Makes the body. */
  readonly body: () => Buffer;
  /** How it is sent, given the 64 digits that such a receiver computes, or wrong ones. */
  readonly as: (digits: string) => PostOptions;
  /** The digits that such a receiver computes of the body. */
  readonly digest: (body: Buffer) => string;
}

/** A delivery that is accepted only by a receiver with one particular fault. */
export interface Attempt extends AttemptForm {
  readonly fault: AttemptFault;
  /** Makes valid bodies that a receiver with this fault refuses. Default: the plain event. */
  readonly valid?: () => readonly Buffer[];
}

/** An attempt with the plain event and its digest, sent as usual, but for what is given. */
export function attempt(probe: Probe, fault: AttemptFault, own: Partial<Attempt>): Attempt {
  return { ...plainForm(probe), fault, ...own };
}

/** The plain event and its digest, sent as usual. */
export function plainForm(probe: Probe): AttemptForm {
  return {
    body: () => probe.body(),
    digest: (body) => probe.digest(body),
    as: (digits) => ({ signature: `sha256=${digits}` }),
  };
}
