import type { Cause } from "../../signature/diagnose/causes.ts";
import { mistakenKeyings } from "../../signature/diagnose/keyings.ts";
import type { Probe } from "../probe.ts";
import { type Attempt, asUsual } from "./attempt.ts";

/** An event that is signed with the secret as it would be after common mistakes, such as decoded from base64. */
export function keyAttempts(probe: Probe): readonly Attempt[] {
  const body = probe.body();
  return mistakenKeyings([{ key: probe.secret }]).flatMap(({ causes: [cause], digest }) => {
    if (cause === undefined) return [];
    return [
      {
        cause: inWords(cause),
        body: () => body,
        as: asUsual,
        digest: (sent: Buffer) => digest("sha256", sent),
      },
    ];
  });
}

const DECODED = "decoded on the signing side";
const TEXT = "decoded on this side";
const OMIT = "Omit --secret-encoding, or decode the secret in the receiver too.";

/** Secrets that one side decodes, by code and detail of the cause. "The signing side" is the receiver's. */
const ENCODINGS: Readonly<Record<string, string>> = {
  [`secret_base64 ${DECODED}`]: decodes("base64", "base64"),
  [`secret_hex ${DECODED}`]: decodes("hex", "hex"),
  "secret_base64 decoded after whsec_ on the signing side": decodes("base64 after `whsec_`", "whsec"),
  [`secret_base64 ${TEXT}`]: `The receiver uses the secret as text, and check decoded it as base64. ${OMIT}`,
  [`secret_hex ${TEXT}`]: `The receiver uses the secret as text, and check decoded it as hex. ${OMIT}`,
  "secret_base64 decoded after whsec_ on this side": `The receiver uses the secret as text, \`whsec_\` included, and check decoded what follows. ${OMIT}`,
  [`secret_hex ${TEXT}, as base64 on the signing side`]: other("base64", "hex"),
  [`secret_base64 ${TEXT}, as hex on the signing side`]: other("hex", "base64"),
};

function decodes(encoding: string, flag: string): string {
  return (
    `The receiver decodes the secret as ${encoding}, and check used it as text. ` +
    `Pass --secret-encoding ${flag}, or use the secret as text in the receiver too.`
  );
}

function other(receiver: string, here: string): string {
  return (
    `The receiver decodes the secret as ${receiver}, and check decoded it as ${here}. ` +
    `Pass --secret-encoding ${receiver}, or decode it as ${here} in the receiver too.`
  );
}

function inWords({ code, meaning, detail, fix }: Cause): string {
  const encoding = ENCODINGS[`${code} ${detail}`];
  if (encoding !== undefined) return encoding;
  if (code === "secret_unset") {
    const value = detail === "empty" ? "an empty text" : `the text ${detail}`;
    return `The receiver uses ${value} as its secret. Set the secret where the receiver runs, and refuse to start without one.`;
  }
  const where = detail?.replace("on the signing side", "in the receiver").replace("on this side", "here");
  return sentences(where === undefined ? meaning : `${meaning} (${where})`, fix);
}

function sentences(...parts: readonly string[]): string {
  return parts.map((part) => `${part.slice(0, 1).toUpperCase()}${part.slice(1)}.`).join(" ");
}
