import type { Secret } from "../secrets.ts";
import type { HeaderForm } from "./header-form.ts";

/** What to try, in order, where no common cause explains a signature. */
export function adviceFor(
  body: Uint8Array,
  forms: readonly HeaderForm[],
  secrets: readonly Secret[],
  complete: boolean,
): readonly string[] {
  const [form] = forms;
  const advice: string[] = [];
  if (form === undefined) {
    advice.push(
      "there is no digest in the header that could be read: send `sha256=` and 64 lowercase hex digits",
    );
  }
  for (const { meaning, fix } of form?.causes ?? []) advice.push(`${meaning}, if it is one: ${fix}`);
  if (body.byteLength === 0) {
    advice.push(
      "the body is empty here: was the whole of it read, once and before anything else, and did no redirect drop it?",
    );
  }
  if (Buffer.from(body).includes("\uFFFD")) {
    advice.push(
      "the body holds U+FFFD, which stands for bytes that a decoder lost: read it as bytes, never as text",
    );
  }
  const prints = secrets.map(({ fingerprint }) => fingerprint).join(", ");
  advice.push(
    `is it the right secret? the one here has the fingerprint ${prints}: \`hookporter sign --json\` shows it on the other side`,
    "does something between change the bytes, such as a proxy, a body parser or `curl --data`? compare how many there are on each side",
    "is the body alone signed, without a timestamp, an address or headers? sign one file on both sides and compare",
  );
  if (!complete)
    advice.push("the body is large, so that not every combination was tried: try with a small one");
  return advice;
}
