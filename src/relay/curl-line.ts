import { quotedWord } from "../base/text/shell-word.ts";
import { canCarry, type DeliveryHeaders } from "../event/delivery.ts";

/**
 * A command for a POSIX shell that sends the same with `curl`, the body from a file, byte for byte,
 * and prints the status. `leftOut` names headers that a command line cannot carry byte for byte,
 * and so omits.
 */
export function curlLine({
  target,
  headers,
  file,
}: {
  target: URL;
  headers: DeliveryHeaders;
  file: string;
}) {
  const pairs = Object.entries(headers).flatMap(([name, value]) =>
    (value === undefined ? [] : [value].flat()).map((text) => [name, text] as const),
  );
  const carried = pairs.filter(([name, value]) => canCarry(name, value) && /^[ -~]*$/.test(value));
  const leftOut = pairs.filter((pair) => !carried.includes(pair)).map(([name]) => name);
  // Without a content type curl would invent one; `name;` makes it send an empty value.
  const suppressedContentType = pairs.some(([name]) => name.toLowerCase() === "content-type")
    ? []
    : ["content-type:"];
  const lines = carried.map(([name, value]) => (value === "" ? `${name};` : `${name}: ${value}`));
  const words = [
    "curl",
    "-sS",
    "--globoff",
    "-w",
    quotedWord("\\n%{http_code}\\n"),
    ...[...lines, ...suppressedContentType].flatMap((header) => ["-H", quotedWord(header)]),
    "--data-binary",
    quotedWord(`@${file}`),
    quotedWord(target.href),
  ];
  return { line: words.join(" "), leftOut: [...new Set(leftOut)] };
}
