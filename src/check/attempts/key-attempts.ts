import { mistakenKeyings } from "../../signature/diagnose/keyings.ts";
import type { Probe } from "../probe.ts";
import { type Attempt, asUsual, inReceiver } from "./attempt.ts";

/** An event that is signed with the secret as it would be after common mistakes, such as decoded from base64. */
export function keyAttempts(probe: Probe): readonly Attempt[] {
  const body = probe.body();
  return mistakenKeyings([{ key: probe.secret }]).flatMap(({ causes: [cause], digest }) => {
    if (cause === undefined) return [];
    return [
      {
        cause: `The receiver uses another key: ${inReceiver(cause)}`,
        ...{ body: () => body, as: asUsual },
        digest: (sent: Buffer) => digest("sha256", sent),
      },
    ];
  });
}
