import { relative, sep } from "node:path";
import { describeError } from "../errors.ts";
import { isError } from "../guards.ts";
import { isOwnCode } from "../package/package-root.ts";
import { FRAME, placePath } from "../system/paths.ts";
import { cutText } from "../text/cut-text.ts";

/** Bytes of the messages of an error and its causes, and of their stacks. */
const MAX_ERROR = 2048;
export const MAX_STACK = 8192;

/** How many causes are followed, and how many errors of an `AggregateError` are named at each. */
const MAX_CAUSES = 8;
const MAX_ERRORS = 4;

/** What is known about an error of a handler. */
export interface HandlerFailure {
  /** The error's name, such as `TypeError`; for a value that is not an error, its type. */
  readonly name: string;
  /** The first line of the user's own code in the stack: `file:line:column`, if there is one. */
  readonly at: string | null;
  /** The stack, with those of the causes. At most 8 KiB of text. */
  readonly stack: string | null;
}

/**
 * Describes what a handler, or a schema, threw: the chain of messages, the place in the user's own
 * code, the stack. Never throws.
 */
export function describeFailure(thrown: unknown): { error: string; failure: HandlerFailure } {
  try {
    const chain = causesOf(thrown);
    const error = chain.map(messageOf).join(" ← ");
    const stacks = chain.flatMap((error) => stackOf(error) ?? []);
    const hasFrames = stacks.some((text) =>
      text.split("\n").some((line) => frameOf(line) !== undefined),
    );
    const stack = !hasFrames ? null : cutText(stacks.join("\ncaused by: "), MAX_STACK);
    const at = stacks.flatMap((text) => ownFrame(text) ?? [])[0] ?? null;
    return {
      error: cutText(error, MAX_ERROR),
      failure: { name: cutText(nameOf(thrown), 100), at, stack },
    };
  } catch {
    // Such as a revoked proxy, of which nothing can be read.
    return {
      error: describeError(thrown),
      failure: { name: typeof thrown, at: null, stack: null },
    };
  }
}

function causesOf(thrown: unknown): readonly unknown[] {
  const chain: unknown[] = [thrown];
  while (chain.length <= MAX_CAUSES) {
    const cause = read(chain.at(-1), "cause");
    if (cause === undefined || cause === null || chain.includes(cause)) break;
    chain.push(cause);
  }
  return chain;
}

function messageOf(thrown: unknown): string {
  if (!isError(thrown)) return describeThrown(thrown);
  const errors = read(thrown, "errors");
  const message = read(thrown, "message");
  if (!Array.isArray(errors) || errors.length === 0) return describeError(thrown);
  const named = errors.slice(0, MAX_ERRORS).map(describeError);
  if (errors.length > MAX_ERRORS) named.push(`${errors.length - MAX_ERRORS} more`);
  const list = named.join("; ");
  return typeof message === "string" && message !== "" ? `${message} (${list})` : list;
}

function describeThrown(thrown: unknown): string {
  if (typeof thrown === "string") return `threw the string ${JSON.stringify(thrown)}`;
  const message = read(thrown, "message");
  if (typeof message === "string" && message !== "")
    return `threw an object, not an Error: ${message}`;
  if (typeof thrown === "object" && thrown !== null) {
    const name = read(read(thrown, "constructor"), "name");
    const isNamed = typeof name === "string" && name !== "" && name !== "Object";
    return `threw ${isNamed ? `a ${name}` : "an object"}, not an Error`;
  }
  if (typeof thrown === "function") return "threw a function, not an Error";
  return `threw ${String(thrown)}`;
}

function nameOf(thrown: unknown): string {
  if (!isError(thrown)) return thrown === null ? "null" : typeof thrown;
  const name = read(thrown, "name");
  return typeof name === "string" && name !== "" ? name : "Error";
}

function stackOf(thrown: unknown): string | undefined {
  const stack = isError(thrown) ? read(thrown, "stack") : undefined;
  if (typeof stack !== "string" || stack === "") return undefined;
  // Frames of Node and of this package are the same for every handler.
  const isShown = (line: string) => {
    const frame = frameOf(line);
    return frame === undefined || (frame.file !== undefined && !isOwnCode(frame.file));
  };
  return stack.split("\n").filter(isShown).join("\n");
}

/**
 * The first frame of a stack that is neither Node's, nor a package's, nor ours; relative to the
 * working folder.
 */
function ownFrame(stack: string): string | undefined {
  for (const line of stack.split("\n")) {
    const { file, position } = frameOf(line) ?? {};
    if (file === undefined || file.includes(`${sep}node_modules${sep}`) || isOwnCode(file))
      continue;
    const inside = relative(process.cwd(), file);
    return `${inside.startsWith("..") ? file : inside}${position}`;
  }
  return undefined;
}

/** A line of a stack that is a frame: its file, if it has one, and the position in it. */
function frameOf(
  line: string,
): { readonly file: string | undefined; readonly position: string } | undefined {
  const frame = FRAME.exec(line);
  if (frame === null) return undefined;
  const [, , place = "", at, column] = frame;
  return { file: placePath(place), position: column === undefined ? `:${at}` : `:${at}:${column}` };
}

/** A property of a thrown value, which may be none, and whose getter may throw too. */
function read(value: unknown, name: string): unknown {
  try {
    return (value as Record<string, unknown>)[name];
  } catch {
    return undefined;
  }
}
