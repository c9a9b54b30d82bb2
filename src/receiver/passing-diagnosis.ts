import type { Delivery } from "../event/delivery.ts";
import { diagnoseSignature } from "../signature/diagnose/diagnose.ts";
import { readHeader } from "../signature/header.ts";
import { digestStarts } from "./digest-starts.ts";
import type { DeliveryObservation } from "./observation.ts";
import type { Settings } from "./options/options.ts";

/** Diagnoses an unauthentic delivery, until told to forget it. */
export interface PassingDiagnosis {
  readonly diagnose: NonNullable<DeliveryObservation["diagnose"]>;
  readonly digests: NonNullable<DeliveryObservation["digests"]>;
  /** Releases the delivery, even if a listener retains the observation. */
  readonly forget: () => void;
}

/** Does no work until called, and reads the secrets at that time. */
export function passingDiagnosis(delivery: Delivery, settings: Settings): PassingDiagnosis {
  let held: Delivery | undefined = delivery;
  return {
    diagnose: (options = {}) => {
      if (held === undefined) return undefined;
      const { body, headers } = held;
      const header = readHeader(headers, settings.signatureHeader);
      return diagnoseSignature(body, header, settings.secrets(), { ...options, headers });
    },
    digests: () => (held === undefined ? [] : digestStarts(held.body, settings.secrets())),
    forget: () => {
      held = undefined;
    },
  };
}
