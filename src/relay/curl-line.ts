import type { DeliveryHeaders } from "../event/delivery.ts";

/** A sending as a command line. */
export interface CurlLine {
  readonly line: string;
  /** Headers that a command line cannot carry byte for byte; they are left out of it. */
  readonly leftOut: readonly string[];
}

/** What a line is made of. */
export interface CurlParts {
  readonly target: URL;
  readonly headers: DeliveryHeaders;
  /** Path of a file that holds the body. */
  readonly file: string;
}

/** The line that sends the same with `curl` from a POSIX shell: the body byte for byte, then the status. */
export function curlLine({ target, headers, file }: CurlParts): CurlLine {
  const pairs = Object.entries(headers).flatMap(([name, value]) =>
    (value === undefined ? [] : [value].flat()).map((one) => [name, one] as const),
  );
  const carried = pairs.filter(([, value]) => /^[\t -~]*$/.test(value));
  const leftOut = pairs.filter((pair) => !carried.includes(pair)).map(([name]) => name);
  // Without a content type curl would make one up; `name;` is how it sends an empty value.
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

/** A word of a POSIX shell, whatever is in it. */
function quote(word: string): string {
  return `'${word.replaceAll("'", "'\\''")}'`;
}
