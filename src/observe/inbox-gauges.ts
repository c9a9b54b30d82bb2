import { deadToDo, stateCounts } from "../inbox/counts.ts";
import { STATE_WORDS } from "../inbox/entry-state.ts";
import { PAUSE_SCOPES, type Pause, type PauseScope } from "../inbox/pause.ts";
import { noAuthentic, normalSilence, type SenderRecord } from "../inbox/senders.ts";
import type { TargetCount } from "../inbox/target-wait.ts";
import { OTHER } from "./bounded-label.ts";
import { type InboxFigures, oldestDueAge, type ReadFigures } from "./inbox-figures.ts";
import type { MetricSet, Samples } from "./metric-set.ts";

/** The most targets, and sources, that are told apart. */
export const MAX_TARGETS = 50;
const MAX_SOURCES = 50;

/**
 * Registers what the inbox says about itself. Its processes share these: they have the same values
 * in each.
 */
export function addInboxGauges(set: MetricSet, read: ReadFigures, now: () => number): void {
  const ifRead =
    <Label extends string>(samples: (figures: InboxFigures) => Samples<Label>) =>
    async (): Promise<Samples<Label>> => {
      const figures = await read();
      return figures === undefined ? [] : samples(figures);
    };
  const bytes = (of: (size: NonNullable<InboxFigures["size"]>) => number | undefined) =>
    ifRead(({ size }) => {
      const value = size === undefined ? undefined : of(size);
      return value === undefined ? [] : [{ value }];
    });
  set.gauge("hookporter_inbox_readable", "Whether the inbox could be read: 1 or 0.", async () => [
    { value: (await read()) === undefined ? 0 : 1 },
  ]);
  set.gauge(
    "hookporter_entries",
    "Entries in the inbox, by state; that of handled ones may be an estimate.",
    ifRead(({ counts }) => {
      const numbers = stateCounts(counts);
      return STATE_WORDS.map((state) => ({ labels: { state }, value: numbers[state] }));
    }),
    ["state"],
  );
  set.gauge(
    "hookporter_dead_letters_waiting",
    "Dead letters that nobody has retried or dropped.",
    ifRead(({ counts }) => [{ value: deadToDo(counts) }]),
  );
  set.gauge(
    "hookporter_oldest_due_age_seconds",
    "How long the entry that is due for longest has waited; 0 if none is due.",
    ifRead((figures) => [{ value: oldestDueAge(figures, now()) / 1000 }]),
  );
  set.gauge(
    "hookporter_entries_waiting_for_target",
    "Entries that wait for a target that does not answer, by target.",
    ifRead(({ waiting }) => limited(waiting)),
    ["target"],
  );
  set.gauge(
    "hookporter_paused",
    "How many kinds, handlers, targets, sources and retries are paused, or all, by scope.",
    ifRead(({ paused }) => byScope(paused)),
    ["scope"],
  );
  set.gauge(
    "hookporter_inbox_size_bytes",
    "Size of the inbox, its log included.",
    bytes((size) => size.bytes),
  );
  set.gauge(
    "hookporter_inbox_log_bytes",
    "Size of the write-ahead log of an inbox file.",
    bytes((size) => size.logBytes),
  );
  set.gauge(
    "hookporter_inbox_free_bytes",
    "Free disk where an inbox file is.",
    bytes((size) => size.freeBytes),
  );
  addSenderGauges(set, read, now);
}

/**
 * Registers what receivers noted of signatures, by source; not of a process, so that a restart
 * changes nothing.
 */
function addSenderGauges(set: MetricSet, read: ReadFigures, now: () => number): void {
  const add = (name: string, help: string, of: (record: SenderRecord) => number | undefined) =>
    set.gauge(
      name,
      help,
      async () => {
        const { senders = [] } = (await read()) ?? {};
        return senders.slice(0, MAX_SOURCES).flatMap((record) => {
          const value = of(record);
          return value === undefined ? [] : [{ labels: { source: record.source }, value }];
        });
      },
      ["source"],
    );
  const seconds = (ms: number | undefined) => (ms === undefined ? undefined : ms / 1000);
  add(
    "hookporter_last_authentic_delivery_timestamp_seconds",
    "When the latest delivery arrived whose signature matched, in seconds since 1970.",
    ({ authenticAt }) => seconds(authenticAt),
  );
  add(
    "hookporter_normal_silence_seconds",
    "For how long nothing may come before that is unusual; absent before 20 events.",
    (record) => seconds(normalSilence(record)),
  );
  add(
    "hookporter_signature_mismatches",
    "Deliveries since the latest authentic one whose signature matches no secret.",
    ({ mismatches }) => mismatches?.count ?? 0,
  );
  add(
    "hookporter_no_authentic",
    "Whether deliveries come for longer than the normal silence, and none is authentic any more: 1 or 0.",
    (record) => (noAuthentic(record, now()) ? 1 : 0),
  );
}

function byScope(paused: readonly Pause[]): Samples<"scope"> {
  const value = (wanted: PauseScope) => paused.filter(({ scope }) => scope === wanted).length;
  return PAUSE_SCOPES.map((scope) => ({ labels: { scope }, value: value(scope) }));
}

/** The first targets, and the sum of the rest. */
function limited(waiting: readonly TargetCount[]): Samples<"target"> {
  const reported = waiting
    .slice(0, MAX_TARGETS)
    .map(({ target, entries: value }) => ({ labels: { target }, value }));
  const rest = waiting.slice(MAX_TARGETS);
  if (rest.length === 0) return reported;
  return [
    ...reported,
    { labels: { target: OTHER }, value: rest.reduce((sum, { entries }) => sum + entries, 0) },
  ];
}
