import { Readable } from "node:stream";
import { expect, it } from "vitest";
import { readLines } from "../../src/tunnel/lines.ts";

async function linesOf(...chunks: readonly (string | Buffer)[]): Promise<readonly string[]> {
  const lines: string[] = [];
  const stream = Readable.from(chunks.map((chunk) => Buffer.from(chunk)));
  readLines(stream, (line) => lines.push(line));
  await new Promise((resolve) => stream.once("close", resolve));
  return lines;
}

it("lines are complete, however they arrive, including a last one without an end", async () => {
  expect(await linesOf("on", "e\r", "\ntwo\rthree\n\n", "four")).toEqual([
    "one",
    "two",
    "three",
    "four",
  ]);
});

it("characters that arrive in pieces are put together", async () => {
  const bytes = Buffer.from("grüße\n");
  expect(await linesOf(bytes.subarray(0, 3), bytes.subarray(3))).toEqual(["grüße"]);
});

it("the beginning of a line that is too long is kept, and reading continues after it", async () => {
  const lines = await linesOf("x".repeat(100_000), "y".repeat(100_000), "\nnext\n");
  expect(lines).toHaveLength(2);
  expect(lines[0]).toMatch(/^x{1000,10000}$/);
  expect(lines[1]).toBe("next");
});

it.each([
  ["colours", "\u001b[32mhttps://\u001b[1;4mx.example.com\u001b[0m"],
  [
    "a hyperlink",
    "\u001b]8;;https://evil.example.com\u0007https://x.example.com\u001b]8;;\u001b\\",
  ],
  ["a title", "\u001b]0;https://evil.example.com\u001b\\https://x.example.com"],
  ["control characters", "\u0000https\u0008://x.\u009bmexample.com\u007f"],
  ["characters that turn the direction", "\u202ehttps://x.example.com\u202c"],
])("%s are removed", async (_, line) => {
  expect(await linesOf(`${line}\n`)).toEqual(["https://x.example.com"]);
});
