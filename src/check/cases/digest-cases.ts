import { mayBeSignature } from "../answer.ts";
import { casesOf } from "../check-case.ts";
import type { CauseCode } from "../codes.ts";
import {
  BEGINS_LIKE_PREFIX,
  BEGINS_WITH_0,
  BEGINS_WITH_00,
  type DigestForm,
  ENDS_IN_0,
  ENDS_LIKE_PREFIX,
  LOW_BYTE,
  NEGATIVE,
  ZERO_BYTE,
} from "../digest-forms.ts";

/**
 * Valid digests that are refused by programs with a fault in their hex: it prints fewer digits, or
 * another sign.
 */
export const DIGEST_CASES = {
  ...validDigest("SIG-29", BEGINS_WITH_0, "digest_printed_as_number"),
  ...validDigest("SIG-30", BEGINS_WITH_00, "first_zero_bytes_lost"),
  ...validDigest("SIG-31", LOW_BYTE, "zeros_of_bytes_lost"),
  ...validDigest("SIG-32", ZERO_BYTE, "digest_cut_at_zero_byte"),
  ...validDigest("SIG-33", ENDS_IN_0, "last_zeros_lost"),
  ...validDigest("SIG-34", NEGATIVE, "digest_printed_as_signed_number"),
  ...validDigest("SIG-47", BEGINS_LIKE_PREFIX, "prefix_characters_removed"),
  ...validDigest("SIG-48", ENDS_LIKE_PREFIX, "prefix_characters_removed"),
};

/**
 * The case that tells a fault from others, and those that the same fault fails besides; what fails
 * most comes first.
 */
export const DIGEST_FAULTS: readonly (readonly (keyof typeof DIGEST_CASES)[])[] = [
  ["SIG-31", "SIG-29", "SIG-30", "SIG-32"],
  ["SIG-32", "SIG-30"],
  ["SIG-29", "SIG-30"],
  ["SIG-30"],
  ["SIG-33"],
  ["SIG-34"],
  ["SIG-47", "SIG-48"],
  ["SIG-48"],
];

/** How many digests of a form must be refused until that is why. */
const PROOFS = 4;

function validDigest<Id extends string>(id: Id, form: DigestForm, cause: CauseCode) {
  return casesOf(
    {
      expects: { answers: ["200"] },
      severity: "required",
      why: "digits",
      about: "digest",
      cause,
    },
    async (probe, form: DigestForm) => {
      const answers = [await probe.post(probe.untilDigest(() => probe.body(), form))];
      // One refusal may be chance.
      while (answers.length < PROOFS && answers.every(mayBeSignature))
        answers.push(await probe.post(probe.another(form)));
      return answers;
    },
    { [id]: form } as Readonly<Record<Id, DigestForm>>,
  );
}
