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
  readonly observation: DeliveryObservation;
  readonly body: Uint8Array;
  id: string;
  isLeftOut: boolean;
}

/** The newest bodies of refused deliveries, to look at and to diagnose later: not authentic, so in memory only. */
export class RefusedBodies {
  #held: readonly Held[] = [];
  #timer: NodeJS.Timeout | undefined;
  readonly #signing: Signing;
  readonly #diagnose: DiagnoseRefusal;
  readonly #onDiagnosed: (id: string, observation: DeliveryObservation, diagnosis: Diagnosis) => string;

  /** @param onDiagnosed - called with a delivery that was left out before; returns the id of its row from now on */
  constructor(
    signing: Signing,
    diagnose: DiagnoseRefusal,
    onDiagnosed: (id: string, observation: DeliveryObservation, diagnosis: Diagnosis) => string,
  ) {
    this.#signing = signing;
    this.#diagnose = diagnose;
    this.#onDiagnosed = onDiagnosed;
  }

  hold(id: string, observation: DeliveryObservation, isLeftOut: boolean): void {
    const read = observation.body?.();
    if (read === undefined || read.byteLength > MAX_BODY) return;
    const body = new Uint8Array(read);
    const { secrets, signatureHeader } = this.#signing;
    const { headers, target } = observation;
    const digests = observation.digests?.() ?? [];
    const diagnose: DeliveryObservation["diagnose"] = (options) =>
      diagnoseSignature(body, readHeader(headers, signatureHeader), secrets, { ...options, headers, target });
    const held = { id, body, isLeftOut, observation: { ...observation, diagnose, digests: () => digests } };
    this.#held = [held, ...this.#held].slice(0, MOST);
    while (this.#held.reduce((sum, one) => sum + one.body.byteLength, 0) > MAX_BYTES)
      this.#held = this.#held.slice(0, -1);
    if (isLeftOut) this.#tryLater();
  }

  /** The body of the newest delivery of a row; `undefined` if none is held. */
  of(id: string): Uint8Array | undefined {
    return this.#held.find((one) => one.id === id)?.body;
  }

  close(): void {
    clearTimeout(this.#timer);
    this.#held = [];
  }

  #tryLater(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      for (const held of this.#held.filter((one) => one.isLeftOut)) {
        const diagnosis = this.#diagnose(held.observation);
        if (diagnosis === "left_out") return this.#tryAgain(held);
        held.isLeftOut = false;
        if (diagnosis !== undefined) held.id = this.#onDiagnosed(held.id, held.observation, diagnosis);
      }
    }, LATER).unref();
  }

  /** As a new observation: the result of the one before is remembered. */
  #tryAgain(held: Held): void {
    this.#held = this.#held.map((one) =>
      one === held ? { ...held, observation: { ...held.observation } } : one,
    );
    this.#tryLater();
  }
}
