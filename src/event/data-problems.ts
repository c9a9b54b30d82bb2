import type { StandardSchemaV1 } from "@standard-schema/spec";
import { describeFailure } from "../base/failures/failure.ts";
import { cutText } from "../base/text/cut-text.ts";
import { fieldOf, memberAt } from "./field-path.ts";

/**
 * One way in which `data` does not fit its schema, or a number that would be changed. It names
 * fields and types, and holds no value of `data` but such a number.
 */
export interface DataProblem {
  /** Where, such as `data.surface` or `data.rooms[2].area`; each step is cut at 64 bytes. */
  readonly field: string;
  /**
   * What was expected and the type that was found, such as `expected number, got string`; or the
   * number, as it was sent.
   */
  readonly message: string;
}

export const MAX_PROBLEMS = 20;
/** Bytes of all problems of one `data` together. */
export const MAX_TEXT = 2048;
const MAX_MESSAGE = 200;
const MAX_FAULT = 600;
/**
 * If `data` has more leaves and keys than this, no library's message is compared with them, and so
 * none is kept.
 */
const MAX_COMPARED = 20_000;

/** The type of a field that is not there. */
const NOTHING = "nothing";

/** Expectations that hold nothing but a type, so they cannot hold a value. */
const TYPE_NAME =
  /^(?:an? )?(?:string|number|bigint|boolean|symbol|undefined|null|object|array|record|tuple|map|set|date|int|nan|never|function)$/i;

/**
 * Every problem as one line, such as `data.surface: expected number, got string`.
 *
 * @example
 * ```ts
 * import { createReceiver, problemLine } from "hookporter";
 *
 * const receiver = createReceiver({ secret: process.env.HOOKPORTER_SECRET });
 * receiver.onDead(({ seq, problems }) => console.error(seq, problems.map(problemLine)));
 * ```
 */
export function problemLine({ field, message }: DataProblem): string {
  return `${field}: ${message}`;
}

/**
 * The problems that a schema reported, in our own words: schema libraries put values into their
 * messages, and those must not reach a record or a log. At most 20 problems and 2 KiB; at least
 * one. Each field begins with `root`.
 */
export function toDataProblems(
  issues: readonly StandardSchemaV1.Issue[],
  data: unknown,
  root = "data",
) {
  const some = issues.slice(0, MAX_PROBLEMS);
  const isSafe = comparer(some, data);
  const problems: DataProblem[] = [];
  let left = MAX_TEXT;
  for (const issue of some) {
    const problem = toDataProblem(issue, data, root, isSafe);
    left -= Buffer.byteLength(problemLine(problem)) + 1;
    if (left < 0) break;
    problems.push(problem);
  }
  return problems.length > 0 ? problems : [{ field: root, message: "does not fit its schema" }];
}

/**
 * What went wrong in the schema of a kind itself, and where; without the error's message if that
 * holds a value of `data`.
 */
export function schemaFault(kind: string, thrown: unknown, data: unknown): DataProblem {
  const { error, failure } = describeFailure(thrown);
  const issue = { message: error };
  const message = messageOf(issue);
  const isShown = message !== undefined && comparer([issue], data)(message);
  const place = failure.at === null ? "" : ` at ${failure.at}`;
  const name = `the schema of ${kind} failed with ${failure.name}${place}`;
  return { field: "data", message: cutText(isShown ? `${name}: ${message}` : name, MAX_FAULT) };
}

function toDataProblem(
  issue: StandardSchemaV1.Issue,
  data: unknown,
  root: string,
  isSafe: (text: string) => boolean,
): DataProblem {
  const steps = stepsOf(issue);
  const type = typeAt(data, steps);
  const got = `got ${type}`;
  const expected = expectationOf(issue);
  const message = messageOf(issue);
  const field = fieldOf(root, steps);
  if (expected === undefined && type === NOTHING) return { field, message: "is missing" };
  if (expected !== undefined && (TYPE_NAME.test(expected) || isSafe(expected))) {
    return { field, message: `expected ${expected}, ${got}` };
  }
  if (message !== undefined && isSafe(message)) return { field, message: `${message} (${got})` };
  return { field, message: `does not fit its schema, ${got}` };
}

function stepsOf({ path = [] }: StandardSchemaV1.Issue): readonly PropertyKey[] {
  return path.map((step) => (typeof step === "object" ? step.key : step));
}

/**
 * What zod, valibot and arktype expected, apart from their message. Each says in its own way that
 * there are fields which the schema does not have; valibot names the key itself if it is missing.
 */
function expectationOf(issue: StandardSchemaV1.Issue): string | undefined {
  const { expected: stated, code } = issue as { expected?: unknown; code?: unknown };
  if (code === "unrecognized_keys") return "no other fields";
  // arktype repeats it for unions
  const isMessage = stated === undefined || stated === issue.message;
  const expected = isMessage ? /\bmust be (.+?)(?: \(was .*)?$/s.exec(issue.message)?.[1] : stated;
  if (typeof expected !== "string" || expected === "" || /^"[^"]*"$/.test(expected))
    return undefined;
  return cutText(
    expected === "never" || expected === "removed" ? "no such field" : expected,
    MAX_MESSAGE,
  );
}

function messageOf({ message }: StandardSchemaV1.Issue): string | undefined {
  if (typeof message !== "string") return undefined;
  const withoutValue = message.replace(/(?:: received|,? but received| \(was) .*$/is, "");
  return withoutValue === "" ? undefined : cutText(withoutValue, MAX_MESSAGE);
}

function wordings(issue: StandardSchemaV1.Issue): readonly string[] {
  return [expectationOf(issue), messageOf(issue)].filter((text) => text !== undefined);
}

/**
 * Decides which wordings hold no leaf value and no key of `data`, in one walk over it. Keys of the
 * wording's own path are no secret: the path is shown.
 */
function comparer(
  issues: readonly StandardSchemaV1.Issue[],
  data: unknown,
): (text: string) => boolean {
  const safe = new Map<string, ReadonlySet<string>>();
  for (const issue of issues) {
    const shown = stepsOf(issue).map((step) => String(step).toLowerCase());
    for (const text of wordings(issue))
      safe.set(text, new Set([...(safe.get(text) ?? []), ...shown]));
  }
  const compareValue = (value: string) => {
    for (const text of safe.keys()) if (holdsValue(text.toLowerCase(), value)) safe.delete(text);
  };
  const compareKey = (key: string) => {
    for (const [text, shown] of safe) {
      if (!shown.has(key) && holdsWord(text.toLowerCase(), key)) safe.delete(text);
    }
  };
  let left = MAX_COMPARED;
  const waiting: unknown[] = [data];
  while (waiting.length > 0 && safe.size > 0) {
    const value = waiting.pop();
    if (left-- < 0) safe.clear();
    if (typeof value === "string" || typeof value === "number")
      compareValue(String(value).toLowerCase());
    if (typeof value !== "object" || value === null) continue;
    for (const [key, member] of Object.entries(value)) {
      if (!Array.isArray(value)) compareKey(key.toLowerCase());
      waiting.push(member);
    }
  }
  return (text) => safe.has(text);
}

/**
 * Whether a text holds a value, as it is or as JSON; one of up to three characters counts only as a
 * word.
 */
function holdsValue(text: string, value: string): boolean {
  const trimmed = value.trim();
  if (trimmed.length <= 3) return holdsWord(text, trimmed);
  return text.includes(trimmed) || text.includes(JSON.stringify(value).slice(1, -1));
}

/** Whether a text holds a word, which is not a part of a longer one: `mail` is not in `email`. */
function holdsWord(text: string, word: string): boolean {
  if (word === "") return false;
  for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + 1)) {
    const around = [text[at - 1] ?? " ", text[at + word.length] ?? " "];
    if (!around.some((letter) => /[\p{L}\p{N}]/u.test(letter))) return true;
  }
  return false;
}

function typeAt(data: unknown, steps: readonly PropertyKey[]): string {
  const found = memberAt(data, steps);
  if (found === undefined) return NOTHING;
  if (found === null) return "null";
  return Array.isArray(found) ? "array" : typeof found;
}
