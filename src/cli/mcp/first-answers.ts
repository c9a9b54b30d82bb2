import { readFileSync } from "node:fs";
import { PassThrough, Writable } from "node:stream";
import { orElse } from "../../base/or-else.ts";
import type { Io } from "../io.ts";

/** The tools' answers by protocol version and method. */
type FirstAnswers = Readonly<Record<string, Readonly<Record<string, object>>>>;

/** Bytes of questions after which the tools are loaded in any case. */
const ENOUGH = 64 * 1024;

/**
 * Answers who the tools are and which there are, as the build has written down, since agents wait for that while the tools
 * are loaded. Returns the streams for the tools once that is done, or anything else is asked. They are asked everything
 * again; what they answer to questions that have an answer is left out.
 */
export async function answerFirst(io: Io): Promise<Io> {
  const file = new URL("mcp-answers.json", import.meta.url);
  const answers: FirstAnswers = orElse(() => JSON.parse(readFileSync(file, "utf8")), {}); // none while it is being built
  const answered = new Set<unknown>();
  let known: FirstAnswers[string] | undefined;
  /** Answers a question; returns whether it was the last. */
  const answer = (line: string): boolean => {
    const { id, method, params } = readMessage(line);
    if (method === "notifications/initialized") return false;
    if (method === "initialize") known = answers[String(params?.protocolVersion)];
    const result = method === "initialize" || method === "tools/list" ? known?.[method] : undefined;
    if (id === undefined || result === undefined) return true;
    answered.add(id);
    io.stdout.write(`${JSON.stringify({ result, jsonrpc: "2.0", id })}\n`);
    return method === "tools/list";
  };
  const stdin = io.stdin.pipe(new PassThrough({ highWaterMark: 2 * ENOUGH }));
  await new Promise<void>((resolve) => {
    let read = Buffer.alloc(0);
    const peek = (chunk: Buffer) => {
      const lines = Buffer.concat([read, chunk]).toString("latin1").split("\n");
      read = Buffer.from(lines.pop() ?? "", "latin1");
      const isLast = lines.some((line) => answer(Buffer.from(line, "latin1").toString()));
      if (isLast || read.length > ENOUGH) end();
    };
    const end = () => {
      io.stdin.off("data", peek);
      resolve();
    };
    io.stdin.on("data", peek).once("end", end);
  });
  const stdout = new Writable({
    write: (chunk: Buffer, _, done) => {
      if (answered.size > 0 && answered.delete(readMessage(chunk.toString()).id)) done();
      else io.stdout.write(chunk, done);
    },
  });
  return { ...io, stdin, stdout };
}

function readMessage(line: string): {
  readonly id?: unknown;
  readonly method?: unknown;
  readonly params?: { readonly protocolVersion?: unknown };
} {
  return orElse(() => Object(JSON.parse(line)), {});
}
