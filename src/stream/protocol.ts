/**
 * How envelopes come over a WebSocket. The description names a real-time channel and shows neither its address nor its
 * messages nor its authentication (section "Events"), so all of this is assumed: the client sends
 * `Authorization: Bearer <API_KEY>` with the handshake, and each message is the body of one delivery, as it would be
 * posted.
 */

/**
 * Header of the handshake, with the value `1`. A client that sends it is ready to acknowledge; a server that answers it
 * waits for that, and sends again what was not acknowledged. Between others, a message counts as received once sent.
 */
export const ACKNOWLEDGE_HEADER = "x-hookporter-acknowledge";

/**
 * The client's message after each of the server's, in their order: what it would have answered over HTTP. Status 200
 * confirms.
 */
export interface Acknowledgement {
  readonly status: number;
}

/** An acknowledgement, as it goes over the wire. */
export function formatAcknowledgement({ status }: Acknowledgement): string {
  return JSON.stringify({ status });
}

/** Reads an acknowledgement; `undefined` where it is something else. */
export function parseAcknowledgement(text: string): Acknowledgement | undefined {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value !== "object" || value === null || !("status" in value)) return undefined;
    const { status } = value;
    return typeof status === "number" && Number.isInteger(status) ? { status } : undefined;
  } catch {
    return undefined;
  }
}
