import { readEnvelope } from "../event/read-envelope.ts";

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
 * Asks once for the event's marker, or, if the template contains `{event-id}`, once for each event id of its bodies, and
 * adds the counts up.
 */
export async function askForEach(
  template: string,
  { marker, bodies }: ObservedEvent,
  ask: (fill: (part: string) => string) => Promise<number>,
): Promise<number> {
  const ids = template.includes(EVENT_ID) ? eventIds(bodies) : [""];
  let sum = 0;
  for (const id of ids) {
    sum += await ask((part) => part.replaceAll(MARKER, marker).replaceAll(EVENT_ID, id));
  }
  return sum;
}

/** The distinct ids that hookporter derives from bodies. */
function eventIds(bodies: readonly Uint8Array[]): readonly string[] {
  const read = bodies.map((body) => readEnvelope(body));
  return [...new Set(read.flatMap((result) => (result.ok ? [result.eventId] : [])))];
}

/**
 * Reads the count from an observer's output: its last line, which is a whole number or the record that
 * `events show --json` prints. Throws an error that says what it got instead.
 */
export function readCount(output: string): number {
  const line = output.trimEnd().split("\n").at(-1)?.trim() ?? "";
  if (/^\d{1,9}$/.test(line)) return Number(line);
  const count = line.startsWith("{") ? countOfRecord(line) : undefined;
  if (count !== undefined) return count;
  const got = line === "" ? "nothing" : JSON.stringify(line.slice(0, 80));
  throw new Error(`expected a whole number on the last line, got ${got}`);
}

function countOfRecord(line: string): number | undefined {
  let record: { type?: unknown; code?: unknown; state?: unknown; runs?: unknown };
  try {
    record = JSON.parse(line);
  } catch {
    return undefined;
  }
  if (record.type === "error" && record.code === "entry_unknown") return 0;
  if (record.type !== "entry" || !Array.isArray(record.runs)) return undefined;
  // Kept once, with no handler to run; older versions call it unhandled.
  if (record.state === "received" || record.state === "unhandled") return 1;
  const byHandler = new Map<string, number>();
  for (const { handler, outcome } of record.runs as { handler: string; outcome: string }[]) {
    if (outcome === "ok") byHandler.set(handler, (byHandler.get(handler) ?? 0) + 1);
  }
  return Math.max(0, ...byHandler.values());
}
