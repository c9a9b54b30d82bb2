import type { DeliveryHeaders } from "../../event/delivery.ts";
import type { DeliveryObservation } from "../../receiver/observation.ts";
import { readHeader } from "../../signature/header.ts";
import type { Sent } from "../api.ts";
import { verdictOf } from "./verdict.ts";

/** What became of a delivery at this receiver. */
export type Arrival = Pick<Sent, "seq" | "refusal" | "word" | "reason">;

/**
 * Milliseconds after its answer in which a delivery is reported, even on a busy machine and after a
 * long diagnosis.
 */
const PATIENCE = 5000;

export type Arrivals = ReturnType<typeof arrivals>;

/** Tells what became of the deliveries that the inspector itself sends to its receiver. */
export function arrivals(signatureHeader: string) {
  const waits = new Set<{
    signature: string;
    bytes: number;
    arrived: (arrival: Arrival) => void;
  }>();
  const signatureOf = (headers: DeliveryHeaders) =>
    [readHeader(headers, signatureHeader) ?? []].flat().join(", ");
  return {
    /**
     * Waits for a delivery, from before it is sent; `undefined` if it was not reported soon after
     * its answer.
     */
    following: async <Answer>(
      { headers, body }: { readonly headers: DeliveryHeaders; readonly body: Uint8Array },
      send: () => Promise<Answer>,
    ): Promise<readonly [Answer, Arrival | undefined]> => {
      let resolve: (arrival: Arrival | undefined) => void = () => {};
      const promise = new Promise<Arrival | undefined>((settle) => {
        resolve = settle;
      });
      const wait = { signature: signatureOf(headers), bytes: body.byteLength, arrived: resolve };
      waits.add(wait);
      let timer: NodeJS.Timeout | undefined;
      try {
        const answer = await send();
        timer = setTimeout(resolve, PATIENCE, undefined);
        return [answer, await promise];
      } finally {
        clearTimeout(timer);
        waits.delete(wait);
      }
    },
    /** Records a delivery; `refusal` is its row if it was not kept. */
    note: ({ headers, bytes, outcome }: DeliveryObservation, refusal: string | undefined) => {
      const signature = signatureOf(headers);
      // Equal deliveries arrive in the order in which they are sent, as each is sent after the
      // answer to the one before. The body of an unsigned one is not read.
      const wait = [...waits].find(
        (wait) =>
          wait.signature === signature &&
          (wait.bytes === bytes || (signature === "" && bytes === 0)),
      );
      if (wait === undefined) return;
      waits.delete(wait);
      const { word, reason } = verdictOf(outcome);
      const seq = "seq" in outcome ? outcome.seq : null;
      wait.arrived({ seq, refusal: refusal ?? null, word, reason: reason ?? null });
    },
  };
}
