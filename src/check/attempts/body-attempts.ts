import { bodyVariants } from "../../signature/diagnose/body-variants.ts";
import type { Cause } from "../../signature/diagnose/causes.ts";
import type { Probe } from "../probe.ts";
import type { Attempt } from "./attempt.ts";

const READ = "Read the body as bytes before any parser, and verify those";

/** The event with the signature of what a receiver may verify in place of the body, such as an empty text. */
export function bodyAttempts(probe: Probe): readonly Attempt[] {
  const ascii = probe.body();
  const umlauts = probe.bodyWith({ address: "Zürich, 5 €" });
  return [...variantAttempts(probe, ascii), ...variantAttempts(probe, umlauts, ["charset", "undecodable"])];
}

/** One cause each. JSON printed otherwise has attempts of its own, except that of `data`. */
function variantAttempts(probe: Probe, body: Buffer, codes?: readonly Cause["code"][]): readonly Attempt[] {
  return bodyVariants(body).variants.flatMap(({ causes, bytes: make }) => {
    const cause = causes.find(({ code }) => code === "body_data_only") ?? causes[0];
    if (cause === undefined || (causes.length > 1 && cause.code !== "body_data_only")) return [];
    if (cause.code.startsWith("json_") || codes?.includes(cause.code) === false) return [];
    const bytes = make();
    return bytes === undefined ? [] : [attempt(probe, body, inWords(cause), bytes)];
  });
}

function attempt(probe: Probe, body: Buffer, verified: string, bytes: Uint8Array): Attempt {
  const signature = probe.sign(bytes);
  return {
    cause: `The receiver does not verify the raw body: it verifies ${verified}`,
    send: () => probe.post(body, { signature }),
    sendValid: () => probe.post(body),
  };
}

const VERIFIED: Readonly<Partial<Record<Cause["code"], string>>> = {
  newline_at_end: "the body with a line break at its end",
  line_endings: "the body with other line breaks",
  byte_order_mark: "the body with a byte order mark before it",
  charset: "the body's text in another character encoding",
  unicode_form: "the body's text with its accents composed differently",
  body_empty: "an empty body, as if the request had been read before",
  body_placeholder: "a text in place of the body",
  body_string: "the body inside a JSON string",
  body_form: "the body encoded as a form",
  body_base64: "the body in base64",
  body_html: "the body with HTML entities",
  body_not_json: "an object as text",
  body_data_only: "only the member `data`, printed as JSON again",
};

function inWords({ code, meaning, detail }: Cause): string {
  const where = detail?.replace("on the signing side", "in the receiver");
  return `${VERIFIED[code] ?? meaning}${where === undefined ? "" : ` (${where})`}. ${READ}.`;
}
