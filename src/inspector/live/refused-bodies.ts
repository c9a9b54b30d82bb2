import type { InspectedDelivery } from "../../receiver/observed.ts";
import type { Diagnosis } from "../../signature/diagnose/diagnose.ts";

/**
 * Why there is no diagnosis: there were too many at once, or it was ended before it was complete.
 */
export type NotDiagnosed = "left_out" | "took_too_long";

export type RefusalDiagnosis = Diagnosis | NotDiagnosed | undefined;

/** Explains why a delivery was not authentic. Called while the observation has its body. */
export type DiagnoseRefusal = (observation: InspectedDelivery) => Promise<RefusalDiagnosis>;

/** How many bodies are held, and bytes of each and of all. Anyone can send them. */
export const MAX_BODIES = 20;
export const MAX_BODY = 64 * 1024;
export const MAX_BYTES = 1024 * 1024;
/**
 * Milliseconds after which a delivery that was not diagnosed is tried again: a burst is over then,
 * or goes on.
 */
const RETRY_DELAY = 500;

interface HeldBody {
  /** What the receiver reported, which can still be diagnosed. */
  observation: InspectedDelivery;
  readonly body: Uint8Array;
  id: string;
  isLeftOut: boolean;
}

/**
 * An observation with its digests and a copy of its body, unless that is too large to hold, for
 * after they are released.
 */
export function heldObservation(observation: InspectedDelivery): InspectedDelivery {
  const read = observation.body?.();
  const body = read === undefined || read.byteLength > MAX_BODY ? undefined : new Uint8Array(read);
  const digests = observation.digests?.() ?? [];
  return { ...observation, body: () => body, digests: () => digests };
}

export type RefusedBodies = ReturnType<typeof refusedBodies>;

/**
 * The newest bodies of refused deliveries, to look at and to diagnose later: not authentic, so in
 * memory only.
 *
 * @param onDiagnosed - called with a delivery that was left out before; returns the id of its row
 * from now on
 */
export function refusedBodies(
  diagnose: DiagnoseRefusal,
  onDiagnosed: (id: string, observation: InspectedDelivery, diagnosis: Diagnosis) => string,
) {
  let newest: readonly HeldBody[] = [];
  let timer: NodeJS.Timeout | undefined;
  const diagnoseLeftOut = async () => {
    for (const held of newest.filter((held) => held.isLeftOut)) {
      // a new one, since the result of the one before is remembered
      held.observation = { ...held.observation };
      const diagnosis = await diagnose(held.observation);
      if (diagnosis === "left_out") return;
      held.isLeftOut = false;
      if (typeof diagnosis === "object")
        held.id = onDiagnosed(held.id, held.observation, diagnosis);
    }
  };
  const tryLater = () => {
    timer ??= setTimeout(async () => {
      await diagnoseLeftOut();
      timer = undefined;
      if (newest.some((held) => held.isLeftOut)) tryLater();
    }, RETRY_DELAY).unref();
  };
  return {
    /** Holds the body of an observation that {@link heldObservation} returned. */
    hold: (id: string, observation: InspectedDelivery, isLeftOut: boolean) => {
      const body = observation.body?.();
      if (body === undefined) return;
      newest = [{ id, body, isLeftOut, observation }, ...newest].slice(0, MAX_BODIES);
      while (newest.reduce((sum, held) => sum + held.body.byteLength, 0) > MAX_BYTES)
        newest = newest.slice(0, -1);
      if (isLeftOut) tryLater();
    },
    /** The body of the newest delivery of a row; `undefined` if none is held. */
    bodyOf: (id: string) => newest.find((held) => held.id === id)?.body,
    close: () => {
      clearTimeout(timer);
      newest = [];
    },
  };
}
