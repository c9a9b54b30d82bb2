import { casesOf } from "../check-case.ts";
import {
  BEGINS_WITH_0,
  BEGINS_WITH_00,
  type DigestForm,
  ENDS_IN_0,
  LOW_BYTE,
  NEGATIVE,
  ZERO_BYTE,
} from "../digest-forms.ts";
import { WHY } from "../reasons.ts";

const PAD = "print all 32 bytes with two digits each, such as with `%02x`";

/**
 * Valid digests that are refused by programs with a fault in their hex: it prints fewer digits, or
 * another sign.
 */
export const DIGEST_CASES = casesOf<DigestForm>(
  { right: ["200"], severity: "required", why: WHY.digits, about: "digest", fix: PAD },
  (probe, form) => probe.post(probe.untilDigest(() => probe.body(), form)),
  [
    [
      "SIG-29",
      "a valid delivery whose digest begins with 0",
      BEGINS_WITH_0,
      `it prints the digest as one number, without the zeros at its start, as \`BigInteger.toString(16)\` does, and so refuses 1 of 16 valid deliveries: ${PAD}`,
    ],
    [
      "SIG-30",
      "a valid delivery whose digest begins with 00",
      BEGINS_WITH_00,
      `it loses zero bytes at the start of the digest, and so refuses 1 of 256 valid deliveries: ${PAD}`,
    ],
    [
      "SIG-31",
      "a valid delivery whose digest has a byte below 0x10 inside",
      LOW_BYTE,
      `it prints each byte without its leading zero, as \`Integer.toHexString\` and \`%x\` do, and so refuses 7 of 8 valid deliveries: ${PAD}`,
    ],
    [
      "SIG-32",
      "a valid delivery whose digest has a zero byte inside",
      ZERO_BYTE,
      "it takes the digest for text that ends at a zero byte, and so refuses 1 of 8 valid deliveries: compare all 32 bytes",
    ],
    [
      "SIG-33",
      "a valid delivery whose digest ends in 0",
      ENDS_IN_0,
      `it loses zeros at the end of the digest, and so refuses 1 of 16 valid deliveries: ${PAD}`,
    ],
    [
      "SIG-34",
      "a valid delivery whose digest begins with 8 or 9",
      NEGATIVE,
      `it prints the digest as a signed number, as \`new BigInteger(bytes)\` does, and so refuses 1 of 2 valid deliveries: ${PAD}`,
    ],
  ],
);
