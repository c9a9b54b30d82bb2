import type { Sent } from "../../api.ts";
import { client } from "../client.ts";
import { type Message, sentMessage } from "../messages.tsx";
import { goTo } from "../route.ts";

/**
 * Opens the entry of a delivery that the page has sent; with `from`, beside the one that it was
 * made from.
 */
export function showSent({ seq, refusal }: Pick<Sent, "seq" | "refusal">, from?: number): void {
  if (seq !== null && seq !== from)
    goTo(from === undefined ? `/entry/${seq}` : `/entry/${seq}/from/${from}`);
  else if (refusal !== null) goTo(`/refusal/${refusal}`);
}

/**
 * Sends an entry's delivery to the receiver again: with `exact` the same bytes, else as a new
 * event.
 */
export async function sendAgain(seq: number, exact = false): Promise<Message> {
  const sent = await client.replay(seq, exact);
  showSent(sent, seq);
  return sentMessage(sent);
}
