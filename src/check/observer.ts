import { execFile } from "node:child_process";
import { describeError, HookporterError } from "../base/errors.ts";
import { timerDelay } from "../base/options/timer-delay.ts";
import { commandWords } from "../base/text/command-words.ts";
import { tryOr } from "../base/try-or.ts";
import { readEnvelope } from "../event/read-envelope.ts";
import { fetchByName } from "../http/fetch-by-name.ts";

export interface ObservedEvent {
  /** The `data.id` of the event, which no other event has. */
  readonly marker: string;
  /** The bodies that were sent with this marker. */
  readonly bodies: readonly Uint8Array[];
}

/** Reports how often an event ran. */
export interface Observer {
  /** Returns a whole number; rejects if it cannot be determined. */
  count(event: ObservedEvent): Promise<number>;
}

/** The placeholder in `--observe` for an event's `data.id`. */
export const MARKER = "{marker}";
/** The placeholder in `--observe` for the event id that hookporter derives. */
export const EVENT_ID = "{event-id}";

/**
 * An observer that asks once for the event's marker, or, if the template contains `{event-id}`,
 * once for each event id of its bodies, and adds the counts up. `ask` gets what fills a part of the
 * template, and the marker if no part names it.
 */
function observerOf(
  template: string,
  name: string,
  ask: (fill: (part: string) => string, added: string | undefined) => Promise<number>,
): Observer {
  const hasIds = template.includes(EVENT_ID);
  return {
    count: async ({ marker, bodies }) => {
      const added = hasIds || template.includes(MARKER) ? undefined : marker;
      let sum = 0;
      for (const id of hasIds ? eventIds(bodies) : [""]) {
        const fill = (part: string) => part.replaceAll(MARKER, marker).replaceAll(EVENT_ID, id);
        sum += await ask(fill, added).catch((cause: unknown) => {
          throw new HookporterError("usage", `--observe ${name}: ${describeError(cause)}`, {
            cause,
          });
        });
      }
      return sum;
    },
  };
}

/** The distinct ids that hookporter derives from bodies. */
function eventIds(bodies: readonly Uint8Array[]): readonly string[] {
  const read = bodies.map((body) => readEnvelope(body));
  return [...new Set(read.flatMap((result) => (result.ok ? [result.eventId] : [])))];
}

/**
 * Reads the count from an observer's output: its last line, which is a whole number or the record
 * that `events show --json` prints. Throws an error that says what it got instead, and how the
 * observer failed.
 */
export function readCount(output: string, failure = ""): number {
  const line = output.trimEnd().split("\n").at(-1)?.trim() ?? "";
  if (/^\d{1,9}$/.test(line)) return Number(line);
  const count = line.startsWith("{") ? countOfRecord(line) : undefined;
  if (count !== undefined) return count;
  const got = line === "" ? "nothing" : JSON.stringify(line.slice(0, 80));
  throw new Error(`expected a whole number on the last line, got ${got}${failure}`);
}

function countOfRecord(line: string): number | undefined {
  const record = tryOr(() => JSON.parse(line), {});
  if (record.type === "error" && record.code === "entry_unknown") return 0;
  if (record.type !== "entry" || !Array.isArray(record.runs)) return undefined;
  if (record.state === "received") return 1; // kept once, with no handler to run
  const byHandler = new Map<string, number>();
  for (const { handler, outcome } of record.runs as { handler: string; outcome: string }[]) {
    if (outcome === "ok") byHandler.set(handler, (byHandler.get(handler) ?? 0) + 1);
  }
  return Math.max(0, ...byHandler.values());
}

interface CommandSurroundings {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Milliseconds until the command is stopped. */
  readonly timeout: number;
}

/**
 * Observes with a command, run without a shell: the marker replaces `{marker}`, or is added as the
 * last argument. Only the output counts, not the exit code, since `grep -c` fails when it prints 0.
 */
export function observeByCommand(command: string, surroundings: CommandSurroundings): Observer {
  const [program = "", ...given] = commandWords(command);
  return observerOf(command, program, async (fill, added) => {
    const argv = added === undefined ? given.map(fill) : [...given, added];
    const { output, error } = await runProgram(program, argv, surroundings);
    return readCount(output, error === null ? "" : ` (${describeError(error).split("\n")[0]})`);
  });
}

function runProgram(
  program: string,
  argv: readonly string[],
  { cwd, env, timeout }: CommandSurroundings,
): Promise<{ output: string; error: Error | null }> {
  return new Promise((resolve) => {
    execFile(program, argv, { cwd, env, timeout }, (error, output) => resolve({ output, error }));
  });
}

/** The address of a URL to observe with, whatever its placeholders become. */
export function observedAddress(template: string): URL {
  return new URL(template.replaceAll(/[{}]/g, ""));
}

/**
 * Observes with GET: the marker replaces `{marker}`, or is added as the parameter `marker`. 404
 * counts as 0.
 */
export function observeByUrl(template: string, timeout: number): Observer {
  return observerOf(template, observedAddress(template).origin, async (fill, added) => {
    const url = new URL(fill(template));
    if (added !== undefined) url.searchParams.set("marker", added);
    const answer = await fetchByName(url, {
      redirect: "error",
      signal: AbortSignal.timeout(timerDelay(timeout)),
    });
    const text = await answer.text();
    if (answer.status === 404) return 0;
    if (!answer.ok) throw new Error(`the URL answered ${answer.status}`);
    return readCount(text);
  });
}
