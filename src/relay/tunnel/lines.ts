import type { Readable } from "node:stream";
import { StringDecoder } from "node:string_decoder";
import { plainText } from "./plain-text.ts";

/** The maximum length of a line; what a service prints about its tunnel is far shorter. */
const LONGEST_LINE = 8192;

/**
 * Calls back with each line of a stream, without colours and control characters. A line ends at a
 * line feed or a carriage return, which progress output uses. Lines that are too long are
 * truncated. An error of the stream ends it.
 */
export function readLines(stream: Readable, onLine: (line: string) => void): void {
  const decoder = new StringDecoder("utf8");
  let line = "";
  const report = () => {
    const plain = plainText(line).trim();
    line = "";
    if (plain !== "") onLine(plain);
  };
  const take = (text: string) => {
    const [first = "", ...others] = text.split(/[\r\n]/);
    line = (line + first).slice(0, LONGEST_LINE);
    for (const part of others) {
      report();
      line = part.slice(0, LONGEST_LINE);
    }
  };
  stream.on("data", (chunk: Buffer) => take(decoder.write(chunk)));
  stream.on("error", () => {});
  stream.once("end", () => {
    take(decoder.end());
    report();
  });
}
