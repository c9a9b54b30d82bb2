import { ownCommand } from "../../base/package/own-command.ts";
import { counted } from "../../base/text/counted.ts";
import type { CliContext } from "../context.ts";
import { inputError } from "../input-errors.ts";
import { progressLine } from "../send/progress.ts";
import { canBeNamed } from "../types/identifiers.ts";
import { type Learned, learn, type Watched } from "../types/shape.ts";
import type { EnumPath, EventSelection } from "./learn-options.ts";
import { type Count, isSelected, readEvents, type SeenEvent } from "./read-events.ts";

/** Milliseconds between two drawings of the line of progress. */
const INTERVAL = 100;

/**
 * Learns from events, with a line of progress at the bottom of a terminal. Throws `input_invalid`
 * if there are none.
 */
export async function learnEvents(
  what: readonly string[],
  selection: EventSelection & { readonly enums?: readonly EnumPath[] },
  context: CliContext,
): Promise<Learned> {
  const learned: Learned = new Map();
  const watchedOf = watching(selection.enums ?? []);
  const unnamed = new Set<string>();
  await forEachEvent(what, selection, context, ({ kind, data, at }) => {
    if (canBeNamed(kind)) learn(learned, kind, data, at, watchedOf(kind));
    else unnamed.add(kind);
  });
  if (unnamed.size > 0)
    context.output.talk(
      `left out ${counted(unnamed.size, "kind", "kinds")} whose names cannot be written in source code`,
    );
  return learned;
}

/** Calls a function for each event, and says what was passed over. */
export async function forEachEvent(
  what: readonly string[],
  selection: EventSelection,
  context: CliContext,
  take: (event: SeenEvent) => void,
): Promise<number> {
  const { output, io } = context;
  let events = 0;
  let unreadable = 0;
  let samples = 0; // made up, and left out
  let fault: string | undefined; // the first that is no event, and what is wrong with it
  let drawn = performance.now();
  const count: Count = (event, of) => {
    if (event === undefined || typeof event === "string") {
      unreadable++;
      fault ??= event;
    } else if (event.isSample && selection.withSamples !== true) samples++;
    else if (isSelected(event, selection)) {
      take(event);
      events++;
      if (performance.now() - drawn < INTERVAL) return;
      drawn = performance.now();
      output.status(of === undefined ? `${events} events` : progressLine(events, of, io));
    }
  };
  await readEvents(what, selection, context, count).finally(() => output.status(undefined));
  if (unreadable > 0) {
    const because = fault === undefined ? "" : `, the first: ${fault}`;
    output.talk(
      `skipped ${unreadable} that ${unreadable === 1 ? "is not an event" : "are not events"}${because}`,
    );
  }
  if (samples > 0) {
    const was = samples === 1 ? "1 event that was" : `${samples} events that were`;
    output.talk(
      `left out ${was} made up by trigger, check or the sandbox: --with-samples takes them`,
    );
  }
  if (events > 0) return events;
  if (samples > 0)
    throw inputError(
      `expected events to learn from, but all ${samples} were made up: receive some from the service, or pass --with-samples`,
    );
  const from = what.length === 0 ? "the inbox has none" : `${what.join(" ")}: none there`;
  throw inputError(
    `expected events to learn from, but ${from} that matches: receive some with \`${ownCommand("listen")}\`, or select others`,
  );
}

/** Says for each kind at which places the strings are kept. */
function watching(enums: readonly EnumPath[]): (kind: string) => Watched {
  const byKind = new Map<string, Watched>();
  return (kind) => {
    const known = byKind.get(kind);
    if (known !== undefined) return known;
    const own = enums.filter((path) => path.kind === undefined || path.kind === kind);
    const paths = new Set(own.map(({ path }) => path));
    const watched: Watched = (path) => paths.has(path);
    byKind.set(kind, watched);
    return watched;
  };
}
