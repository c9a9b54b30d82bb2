import type { DeliveryObservation } from "../../receiver/observation.ts";
import { type Diagnosis, diagnoseSignature } from "../../signature/diagnose/diagnose.ts";
import { readHeader } from "../../signature/header.ts";
import type { Signing } from "../entries/explain-entry.ts";

/** Explains why a delivery was not authentic; `left_out` if there are too many. */
export type DiagnoseRefusal = (observation: DeliveryObservation) => Diagnosis | "left_out" | undefined;

/** How many bodies are held, and bytes of each and of all. Anyone can send them. */
export const MOST = 20;
export const MAX_BODY = 64 * 1024;
export const MAX_BYTES = 1024 * 1024;
/** Milliseconds after which a delivery that was not diagnosed is tried again: a burst is over then, or goes on. */
const LATER = 500;

interface Held {
  /** What the receiver reported, which can still be diagnosed. */
  observation: DeliveryObservation;
  readonly body: Uint8Array;
  id: string;
  isLeftOut: boolean;
}

export type RefusedBodies = ReturnType<typeof refusedBodies>;

/**
 * The newest bodies of refused deliveries, to look at and to diagnose later: not authentic, so in memory only.
 *
 * @param onDiagnosed - called with a delivery that was left out before; returns the id of its row from now on
 */
export function refusedBodies(
  { secrets, signatureHeader }: Signing,
  diagnose: DiagnoseRefusal,
  onDiagnosed: (id: string, observation: DeliveryObservation, diagnosis: Diagnosis) => string,
) {
  let newest: readonly Held[] = [];
  let timer: NodeJS.Timeout | undefined;
  const tryLater = () => {
    timer ??= setTimeout(() => {
      timer = undefined;
      for (const held of newest.filter((one) => one.isLeftOut)) {
        const diagnosis = diagnose(held.observation);
        if (diagnosis === "left_out") {
          held.observation = { ...held.observation }; // a new one, since the result of the one before is remembered
          return tryLater();
        }
        held.isLeftOut = false;
        if (diagnosis !== undefined) held.id = onDiagnosed(held.id, held.observation, diagnosis);
      }
    }, LATER).unref();
  };
  return {
    hold: (id: string, observation: DeliveryObservation, isLeftOut: boolean) => {
      const read = observation.body?.();
      if (read === undefined || read.byteLength > MAX_BODY) return;
      const body = new Uint8Array(read);
      const { headers, target } = observation;
      const digests = observation.digests?.() ?? [];
      const again: DeliveryObservation["diagnose"] = (options) =>
        diagnoseSignature(body, readHeader(headers, signatureHeader), secrets, {
          ...options,
          headers,
          target,
        });
      const kept = { ...observation, diagnose: again, digests: () => digests };
      newest = [{ id, body, isLeftOut, observation: kept }, ...newest].slice(0, MOST);
      while (newest.reduce((sum, one) => sum + one.body.byteLength, 0) > MAX_BYTES)
        newest = newest.slice(0, -1);
      if (isLeftOut) tryLater();
    },
    /** The body of the newest delivery of a row; `undefined` if none is held. */
    of: (id: string) => newest.find((one) => one.id === id)?.body,
    close: () => {
      clearTimeout(timer);
      newest = [];
    },
  };
}
