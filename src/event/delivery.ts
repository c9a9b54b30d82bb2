/** One HTTP POST as it arrived: what a signature covers, what is stored, forwarded and replayed. */
export interface Delivery {
  readonly method: string;
  /**
   * The request target as sent, its query included: `/webhooks`, `/webhooks?code=x`. The signature
   * does not cover it.
   */
  readonly target: string;
  /** Header names are in lower case, as in Node. */
  readonly headers: DeliveryHeaders;
  /** The raw bytes; never decoded and printed again. */
  readonly body: Uint8Array;
  /** Milliseconds since 1970, by this machine's clock. */
  readonly receivedAt: number;
}

/**
 * The header in which a stored delivery has the trace context of its own span, if it was received
 * with tracing. It never comes from a sender, and is never sent to a target.
 */
export const TRACE_HEADER = "hookporter-traceparent";

/** Header values by lowercase name. */
export type DeliveryHeaders = Readonly<Record<string, string | readonly string[] | undefined>>;

/**
 * Whether HTTP carries a header: its name is a token, and nothing in its value ends it. What is
 * read from a store or a file may have any other.
 */
export function canCarry(name: string, value: unknown): value is string | readonly string[] {
  const parts: readonly unknown[] = Array.isArray(value) ? value : [value];
  return (
    /^[!#$%&'*+.^_`|~\w-]+$/.test(name) &&
    parts.every((part) => typeof part === "string" && !CONTROL.test(part))
  );
}

/** Those of ASCII but a tab: HTTP carries any byte above. */
const CONTROL = /(?![\t\x80-\x9f])\p{Cc}/u;

/** A copy for a function of the user: nobody else sees what that changes in it. */
export function ownDelivery({ method, target, headers, body, receivedAt }: Delivery): Delivery {
  return { method, target, headers: { ...headers }, body: new Uint8Array(body), receivedAt };
}

/** Stands for a delivery that cannot be read. */
export function noDelivery(receivedAt: number): Delivery {
  return { method: "", target: "", headers: {}, body: new Uint8Array(), receivedAt };
}
