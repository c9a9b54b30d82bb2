import { mkdirSync, writeFileSync } from "node:fs";
import { resolve } from "node:path";
import type { DeliveryObservation } from "../../receiver/observation.ts";
import { formatDelivery } from "../../relay/fixture.ts";
import { fixtureName } from "../../relay/fixture-name.ts";
import { unusable } from "../files/unusable.ts";

/**
 * Creates the folder for saved deliveries, accessible only to its owner; returns a function that saves a delivery if it is
 * authentic.
 *
 * @throws HookporterError `folder_unusable`
 */
export function openSaveFolder(path: string): (observation: DeliveryObservation) => void {
  try {
    mkdirSync(path, { recursive: true, mode: 0o700 });
  } catch (cause) {
    throw unusable(path, cause, "pass another folder with --save-dir");
  }
  let saved = 0;
  return ({ delivery, outcome }) => {
    if (delivery === undefined || !("eventId" in outcome)) return;
    const kind = outcome.type === "accepted" ? outcome.kind : null;
    const name = fixtureName(delivery.receivedAt, ++saved, kind, outcome.eventId);
    writeFileSync(resolve(path, name), formatDelivery(delivery), { mode: 0o600 });
  };
}
