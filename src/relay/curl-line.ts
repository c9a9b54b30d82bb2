import type { DeliveryHeaders } from "../event/delivery.ts";

export interface CurlLine {
  readonly line: string;
  /** Headers that a command line cannot carry byte for byte, and so omits. */
  readonly leftOut: readonly string[];
}

export interface CurlParts {
  readonly target: URL;
  readonly headers: DeliveryHeaders;
  /** Path of a file with the body. */
  readonly file: string;
}

/** A command for a POSIX shell that sends the same with `curl`, byte for byte, and prints the status. */
export function curlLine({ target, headers, file }: CurlParts): CurlLine {
  const pairs = Object.entries(headers).flatMap(([name, value]) =>
    (value === undefined ? [] : [value].flat()).map((one) => [name, one] as const),
  );
  const carried = pairs.filter(([, value]) => /^[\t -~]*$/.test(value));
  const leftOut = pairs.filter((pair) => !carried.includes(pair)).map(([name]) => name);
  // Without a content type curl would invent one; `name;` makes it send an empty value.
  const typed = pairs.some(([name]) => name.toLowerCase() === "content-type") ? [] : ["content-type:"];
  const lines = [
    ...carried.map(([name, value]) => (value === "" ? `${name};` : `${name}: ${value}`)),
    ...typed,
  ];
  const words = [
    ...["curl", "-sS", "--globoff", "-w", quote("\\n%{http_code}\\n")],
    ...lines.flatMap((header) => ["-H", quote(header)]),
    ...["--data-binary", quote(`@${file}`), quote(target.href)],
  ];
  return { line: words.join(" "), leftOut: [...new Set(leftOut)] };
}

/** Quotes any text as a word for a POSIX shell. */
function quote(word: string): string {
  return `'${word.replaceAll("'", "'\\''")}'`;
}
