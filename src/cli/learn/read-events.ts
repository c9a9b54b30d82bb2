import { resolve } from "node:path";
import { createInterface } from "node:readline";
import { Readable } from "node:stream";
import { HookporterError } from "../../base/errors.ts";
import { MAX_INPUT } from "../../base/system/files.ts";
import { matchesKind } from "../../event/kind-pattern.ts";
import { readEnvelope } from "../../event/read-envelope.ts";
import { stateCounts, totalOf } from "../../inbox/counts.ts";
import type { EntryFilter } from "../../inbox/entry-filter.ts";
import type { Inbox } from "../../inbox/inbox.ts";
import { type Fixture, parseFixture } from "../../relay/fixture.ts";
import type { CliContext } from "../context.ts";
import { withInbox } from "../events/inbox.ts";
import { openStream } from "../files/read-input.ts";
import { inputError, unreadableFileError } from "../input-errors.ts";
import { gatherFixtures } from "../send/gather-fixtures.ts";
import type { EventSelection } from "./learn-options.ts";

export interface SeenEvent {
  /** Where it came from: an entry such as `#12`, or a file. */
  readonly name: string;
  readonly kind: string;
  readonly data: unknown;
  /** Whether `trigger`, `check` or the sandbox made it up. */
  readonly isSample: boolean;
  /**
   * When it was received, in milliseconds since 1970; of a body without a delivery, the time of the
   * event.
   */
  readonly at: number;
}

/**
 * Receives each event, or what is no event and why, if that is known; `of` is how many there will
 * be, if that is known.
 */
export type Count = (event: SeenEvent | string | undefined, of?: number) => void;

/** Entries that are read at a time. */
const PAGE = 500;

const STDIN = "-";

/**
 * Reads events one by one, in bounded memory: those of fixtures, of `-` for NDJSON on standard
 * input, else of the inbox. What is not an event is counted and passed over. Throws HookporterError
 * as reading fixtures or the inbox does.
 */
export async function readEvents(
  what: readonly string[],
  selection: EventSelection,
  context: CliContext,
  count: Count,
): Promise<void> {
  if (what.length === 0)
    await withInbox(context, { inbox: selection.inbox, access: "read" }, (inbox) =>
      readInbox(inbox, selection, count),
    );
  for (const text of what) {
    if (text === STDIN || text.endsWith(".ndjson")) await readLines(text, context, count);
    else {
      const { fixtures, broken } = await gatherFixtures([text], selection, context);
      for (const { message } of broken) count(message);
      for (const { name, fixture } of fixtures) count(eventOf(fixture, name));
    }
  }
}

/** Reads the entries from the newest on, each with its own delivery. */
async function readInbox(
  inbox: Inbox,
  { kind, source, since }: EventSelection,
  count: Count,
): Promise<void> {
  const filter: EntryFilter = {
    ...(kind !== undefined && { kinds: kind }),
    ...(source !== undefined && { sources: source }),
    ...(since !== undefined && { since }),
    limit: PAGE,
  };
  const all = totalOf(stateCounts(await inbox.counts()));
  for (let before: number | undefined; ; ) {
    const page = await inbox.list({ ...filter, ...(before !== undefined && { before }) });
    for (const { seq, receivedAt } of page) {
      before = Math.min(before ?? seq, seq);
      const delivery = await inbox.delivery(seq);
      // Its delivery may have been pruned, or be a dead letter that is no event.
      count(delivery && bodyEvent(delivery.body, `#${seq}`, receivedAt), all);
    }
    if (page.length < PAGE) return;
  }
}

/** Reads NDJSON line by line: deliveries as `events export` writes them, or envelopes. */
async function readLines(given: string, { io }: CliContext, count: Count): Promise<void> {
  if (given === STDIN && io.isTTY.stdin)
    throw inputError(
      "expected events on standard input, got a terminal: name a file or folder, or pipe them in",
    );
  let number = 0;
  try {
    const bytes = given === STDIN ? io.stdin : openStream(resolve(io.cwd, given));
    const input = Readable.from(withShortLines(bytes));
    for await (const line of createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY })) {
      number++;
      if (line.trim() !== "")
        count(lineEvent(line, `${given === STDIN ? "line" : `${given}, line`} ${number}`));
    }
  } catch (cause) {
    throw unreadableFileError(given, cause);
  }
}

/** A line is kept in memory whole, so the size of one is limited, as that of a file is. */
async function* withShortLines(bytes: Readable): AsyncGenerator<Buffer> {
  let length = 0;
  for await (const chunk of bytes) {
    const part = Buffer.from(chunk);
    const end = part.lastIndexOf("\n");
    length = end === -1 ? length + part.length : part.length - end;
    if (length > MAX_INPUT) throw new Error("a line of it has more than 64 MiB");
    yield part;
  }
}

function lineEvent(line: string, name: string): SeenEvent | string {
  try {
    return eventOf(parseFixture(Buffer.from(line), name), name);
  } catch (thrown) {
    if (thrown instanceof HookporterError) return thrown.message;
    throw thrown;
  }
}

function eventOf(fixture: Fixture, name: string): SeenEvent | string {
  return fixture.type === "delivery"
    ? bodyEvent(fixture.delivery.body, name, fixture.delivery.receivedAt)
    : bodyEvent(fixture.body, name);
}

function bodyEvent(body: Uint8Array, name: string, receivedAt?: number): SeenEvent | string {
  const read = readEnvelope(body);
  if (!read.ok) return `${name}: ${read.rejection.message}`;
  const { envelope, timestamp } = read;
  const isSample = /^wh_(?:sample|sandbox)_/.test(envelope.webhook.id);
  return { name, kind: envelope.event, data: envelope.data, at: receivedAt ?? timestamp, isSample };
}

export function isSelected({ kind, at }: SeenEvent, selection: EventSelection): boolean {
  if (selection.since !== undefined && at < selection.since) return false;
  return (
    selection.kind === undefined || selection.kind.some((pattern) => matchesKind(pattern, kind))
  );
}
