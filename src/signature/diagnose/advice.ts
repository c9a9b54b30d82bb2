import { ownCommand } from "../../base/package/own-command.ts";
import { type HeaderBag, readHeader } from "../header.ts";
import type { Secret } from "../secrets.ts";
import type { DigestForm } from "./digest-form.ts";

/** What to try, in order, if no common cause explains a signature. */
export function adviceFor(
  body: Uint8Array,
  forms: readonly DigestForm[],
  secrets: readonly Secret[],
  complete: boolean,
  headers?: HeaderBag,
): readonly string[] {
  const [form] = forms;
  const advice: string[] = [];
  if (form === undefined)
    advice.push(
      "the header contains no readable digest: send `sha256=` and 64 lowercase hex digits",
    );
  for (const { meaning, fix } of form?.causes ?? [])
    advice.push(`${meaning}, if that is so: ${fix}`);
  if (body.byteLength === 0) {
    advice.push(
      "the body is empty here: check that it was read completely, once, before anything else, and that no redirect dropped it",
    );
  }
  if (
    body.byteLength > 0 &&
    !/^\s*[{[]/.test(Buffer.from(body.subarray(0, 100)).toString("utf8"))
  ) {
    advice.push(
      "the body here does not begin as JSON: check that it is the body alone, as it arrived, without headers, a dump's numbers or compression",
    );
  }
  if (Buffer.from(body).includes("\uFFFD")) {
    advice.push(
      "the body contains U+FFFD, which replaces bytes that a decoder could not read: read the body as bytes, never as text",
    );
  }
  const length = headers === undefined ? undefined : readHeader(headers, "content-length");
  if (typeof length === "string" && /^\d+$/.test(length) && Number(length) !== body.byteLength) {
    advice.push(
      `\`content-length\` says ${length} bytes, but there are ${body.byteLength} here: the body was cut, decoded or printed again after it arrived`,
    );
  }
  if (isCut(body)) {
    advice.push(
      "the JSON has no end: check that the body was read completely, and that the sender counts its length in bytes, not in characters",
    );
  }
  const prints = secrets.map(({ fingerprint }) => fingerprint).join(", ");
  advice.push(
    `compare the secrets: the one here has the fingerprint ${prints}; \`${ownCommand("sign --json")}\` prints that of the other side`,
    "check that nothing on the way changes the bytes, such as a proxy, a body parser or `curl --data`: compare the length on both sides",
    "check that only the body is signed, without a timestamp, a URL or headers: sign the same file on both sides and compare",
  );
  if (!complete)
    advice.push("the body is large, so not every combination was tried: try a small one");
  return advice;
}

/** Whether a body begins as JSON does but does not end so. */
function isCut(body: Uint8Array): boolean {
  const text = Buffer.from(body.subarray(-100)).toString("latin1").trimEnd();
  return (body[0] === 0x7b && !text.endsWith("}")) || (body[0] === 0x5b && !text.endsWith("]"));
}
