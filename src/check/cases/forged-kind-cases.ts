import { eventKinds } from "../../event/kinds.ts";
import type { CheckCase } from "../check-case.ts";
import { FORGED, REFUSED, sendForged } from "./forgeries.ts";

/**
 * All kinds, an unknown one, and the names under which services send tests, which receivers like to
 * answer first.
 */
const KINDS = [...eventKinds, "property.inspected", "ping", "test", "webhook.test"];

/** What is wrong with a receiver that verifies only in some branches. */
export const SOME_KINDS =
  "it verifies the signature of some kinds only: verify every delivery before you look at `event`";
/** The name of the forgery that is of the same kind as those of the other cases. */
export const SAME_KIND = "marked as a test";
/** What services add to events that test an endpoint, at one place or another. */
const TEST_MARKS = { type: "ping", test: true, livemode: false, challenge: "check" };

/** Forgeries of every kind: a receiver may verify only in some branches. */
export const FORGED_KIND_CASES: readonly CheckCase[] = [
  forgedKinds("SIG-37", "no signature header", FORGED.unsigned),
  forgedKinds("SIG-38", "a wrong signature", FORGED.wrong),
];

function forgedKinds(id: CheckCase["id"], as: string, signature: string | null): CheckCase {
  return {
    ...REFUSED,
    id,
    fix: SOME_KINDS,
    sent: `${as}: each of the 12 kinds, an unknown one, ping, test and webhook.test, and one marked as a test`,
    run: (probe) =>
      sendForged([
        ...KINDS.map(
          (kind) => [kind, () => probe.post(probe.bodyOf(kind), { signature })] as const,
        ),
        [SAME_KIND, () => probe.post(probe.body(TEST_MARKS), { signature })],
      ]),
  };
}
