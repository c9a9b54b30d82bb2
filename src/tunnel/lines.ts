import type { Readable } from "node:stream";
import { StringDecoder } from "node:string_decoder";
import { plainText } from "./plain-text.ts";

/** Characters of a line that are kept; what a service says about its tunnel is far shorter. */
const LONGEST_LINE = 8192;

/**
 * Tells each line of a stream, without colours and control characters. A line ends at a line feed or a carriage
 * return, as progress lines do; of one that is too long the beginning is told. An error of the stream ends it.
 */
export function readLines(stream: Readable, onLine: (line: string) => void): void {
  const decoder = new StringDecoder("utf8");
  let line = "";
  const tell = () => {
    const plain = plainText(line).trim();
    line = "";
    if (plain !== "") onLine(plain);
  };
  const take = (text: string) => {
    const [first = "", ...others] = text.split(/[\r\n]/);
    line = (line + first).slice(0, LONGEST_LINE);
    for (const part of others) {
      tell();
      line = part.slice(0, LONGEST_LINE);
    }
  };
  stream.on("data", (chunk: Buffer) => take(decoder.write(chunk)));
  stream.on("error", () => {});
  stream.once("end", () => {
    take(decoder.end());
    tell();
  });
}
