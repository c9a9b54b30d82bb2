import type { CheckResult } from "./check-result.ts";
import { refusesSignature } from "./failed-alike.ts";

const PAD = "Print all 32 bytes with two hex digits each, such as with `%02x`.";

/**
 * Why valid deliveries are refused at random: which digests the receiver computes or prints wrongly. One case is proof
 * enough, since all others avoid such digests.
 */
export function diagnoseDigests(results: readonly CheckResult[]): readonly string[] {
  const failed = new Set(results.filter(isRefused).map(({ id }) => id));
  const causes: string[] = [];
  const add = (ids: readonly string[], often: string, why: string) => {
    const found = ids.filter((id) => failed.has(id));
    if (found.length > 0) causes.push(`${often} refused at random: ${why} (${found.join(", ")})`);
  };
  if (failed.has("SIG-31")) {
    add(
      ["SIG-29", "SIG-30", "SIG-31", "SIG-32"],
      "7 of 8 valid deliveries are",
      `each byte of the digest is printed without its leading zero, as \`Integer.toHexString\` and \`%x\` do. ${PAD}`,
    );
  } else if (failed.has("SIG-32")) {
    add(
      ["SIG-30", "SIG-32"],
      "1 of 8 valid deliveries is",
      "the digest is treated as text that ends at a zero byte. Compare all 32 bytes.",
    );
  } else {
    add(
      ["SIG-29", "SIG-30"],
      `1 of ${failed.has("SIG-29") ? 16 : 256} valid deliveries is`,
      `the digest is printed as one number, without the zeros at its start, as \`BigInteger.toString(16)\` does. ${PAD}`,
    );
  }
  add(
    ["SIG-33"],
    "1 of 16 valid deliveries is",
    `zeros at the end of the digest are lost, such as by trimming. ${PAD}`,
  );
  add(
    ["SIG-34"],
    "1 of 2 valid deliveries is",
    `the digest is printed as a signed number, as \`new BigInteger(bytes)\` does. ${PAD}`,
  );
  return causes;
}

function isRefused(one: CheckResult): boolean {
  return /^SIG-(?:29|3[0-4])$/.test(one.id) && one.outcome === "failed" && refusesSignature(one);
}
