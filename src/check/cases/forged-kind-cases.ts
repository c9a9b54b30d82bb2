import { eventKinds } from "../../event/kinds.ts";
import type { CaseDefinition, Forgery } from "../check-case.ts";
import { FORGED, REFUSED, sendForged } from "./forgeries.ts";

/**
 * All kinds, an unknown one, and the names under which services send tests, which receivers like to
 * answer first.
 */
const KINDS = [...eventKinds, "property.inspected", "ping", "test", "webhook.test"];

/** The name of the forgery that is of the same kind as those of the other cases. */
const SAME_KIND = "marked as a test";
/** What services add to events that test an endpoint, at one place or another. */
const TEST_MARKS = { type: "ping", test: true, livemode: false, challenge: "check" };

/** Forgeries of every kind: a receiver may verify only in some branches. */
export const FORGED_KIND_CASES = {
  "SIG-37": {
    ...REFUSED,
    cause: "some_kinds_verified",
    shows: "unsigned_kinds",
    send: forgedKinds(FORGED.unsigned),
  },
  "SIG-38": {
    ...REFUSED,
    cause: "some_kinds_verified",
    shows: "wrong_kinds",
    send: forgedKinds(FORGED.wrong),
  },
} as const satisfies Readonly<Record<string, CaseDefinition>>;

function forgedKinds(signature: string | null): CaseDefinition["send"] {
  const isUnsigned = signature === null;
  return (probe) =>
    sendForged([
      ...KINDS.map((kind) => ({
        name: kind,
        isUnsigned,
        send: () => probe.post(probe.bodyOf(kind), { signature }),
      })),
      {
        name: SAME_KIND,
        isUnsigned,
        send: () => probe.post(probe.body(TEST_MARKS), { signature }),
      },
    ]);
}

/**
 * Whether a forgery of every kind is just the event of the other cases, but for a mark of tests.
 */
export function isMarkedSample({ name }: Forgery): boolean {
  return name === SAME_KIND;
}

/** Whether a forgery of every kind is just the event of the other cases. */
export function isSample({ name }: Forgery): boolean {
  return name === "property.created";
}
