/** One HTTP POST as it arrived: what a signature covers, what is stored, forwarded and replayed. */
export interface Delivery {
  readonly method: string;
  /** The request target as sent, such as `/webhooks`. */
  readonly target: string;
  /** Names in lower case, as Node gives them. */
  readonly headers: DeliveryHeaders;
  /** The raw bytes. Nothing decodes and re-prints them. */
  readonly body: Uint8Array;
  /** Milliseconds since 1970, by this machine's clock. */
  readonly receivedAt: number;
}

/** Header values by lowercase name. */
export type DeliveryHeaders = Readonly<Record<string, string | readonly string[] | undefined>>;
