import { tryOr } from "../../base/try-or.ts";

/**
 * How envelopes are sent over a WebSocket. The description mentions a real-time channel but shows
 * no address, no messages and no authentication (section "Events"), so all of this is assumed: the
 * client sends `Authorization: Bearer <API_KEY>` with the handshake, and each message is the body
 * of one delivery, as it would be posted.
 */

/**
 * Header of the handshake, with the value `1`. A client that sends it is able to acknowledge. A
 * server that returns it waits for acknowledgements, and resends unacknowledged messages. Otherwise
 * a message counts as received once sent.
 */
export const ACKNOWLEDGE_HEADER = "x-hookporter-acknowledge";

/**
 * The client's message after each of the server's, in the same order: what it would have answered
 * over HTTP. Status 200 confirms.
 */
export interface Acknowledgement {
  readonly status: number;
}

export function formatAcknowledgement({ status }: Acknowledgement): string {
  return JSON.stringify({ status });
}

/** Reads an acknowledgement; returns `undefined` for anything else. */
export function parseAcknowledgement(text: string): Acknowledgement | undefined {
  return tryOr(() => {
    const value: unknown = JSON.parse(text);
    if (typeof value !== "object" || value === null || !("status" in value)) return undefined;
    const { status } = value;
    return typeof status === "number" && Number.isInteger(status) ? { status } : undefined;
  }, undefined);
}
