import type { Agent } from "node:http";
import type { ProbeAnswer } from "./answer.ts";
import type { BodyPart } from "./wire.ts";

/** A request that was sent, and its answer. */
export interface ProbeExchange {
  readonly body: Uint8Array;
  readonly options: PostOptions;
  readonly answer: ProbeAnswer;
}

/** Whether a delivery was sent as the service would send it. */
export function isValid({ options }: ProbeExchange): boolean {
  const { agent: _, ...changes } = options;
  return Object.keys(changes).length === 0;
}

/** How a delivery differs from those of the service. */
export interface PostOptions {
  /**
   * The signature header's value or values; `null` for none. Default: the signature of the body.
   */
  readonly signature?: string | readonly string[] | null;
  readonly header?: string;
  readonly method?: string;
  /** The raw request target. Default: that of the URL. */
  readonly target?: string;
  /** Additional headers; `null` removes one. */
  readonly headers?: Readonly<Record<string, string | null>>;
  /** The body in parts, if it is not sent in one piece. */
  readonly parts?: readonly BodyPart[];
  /** Sends the body in chunks, without a length. */
  readonly chunked?: boolean;
  readonly trailers?: Readonly<Record<string, string>>;
  readonly agent?: Agent;
}
