import { useEffect, useRef, useState } from "preact/hooks";
import type { EntryDetail, Explanation, Row, Status } from "../api.ts";
import { Attempts } from "./attempts.tsx";
import type { ApiClient } from "./client.ts";
import { CopyButton } from "./copy-button.tsx";
import { EntryActions } from "./entry-actions.tsx";
import { Envelope } from "./envelope.tsx";
import { counted } from "./format.ts";
import { Headers } from "./headers.tsx";
import { PairList } from "./pair-list.tsx";
import { goTo } from "./route.ts";
import { StateWord } from "./state-word.tsx";
import { LocalTime } from "./time.tsx";
import { useLoaded } from "./use-loaded.ts";
import { Verdict } from "./verdict.tsx";
import { visible } from "./visible.ts";

/** All details of an entry. `row` is its row in the list, which shows when it has changed. */
export function EntryPage({
  seq,
  row,
  client,
  status,
}: {
  seq: number;
  row: Row | undefined;
  client: ApiClient;
  status: Status | undefined;
}) {
  const changes = row?.type === "entry" ? [row.state, row.attempts, row.duplicates, row.runAt] : [];
  const reload = useReload();
  const { value: entry, failure } = useLoaded(
    () => client.entry(seq),
    [client, seq, ...changes, reload.count],
  );
  if (entry?.seq !== seq)
    return <p class={`notice ${failure === undefined ? "quiet" : ""}`}>{failure ?? `Loading #${seq}`}</p>;
  const { explanation } = entry;
  return (
    <article class="detail" key={seq}>
      <DetailHead title={entry.kind ?? "Not an event"} row={entry} id={entry.eventId} focus={seq} />
      <Summary {...explanation} />
      <EntryActions entry={entry} client={client} forwards={status?.forwards ?? []} onChanged={reload.now} />
      <Verdict explanation={explanation} />
      <Attempts entry={entry} />
      <Repeats entry={entry} />
      <Envelope entry={entry} client={client} />
      {entry.delivery !== null && <Headers {...entry.delivery} />}
      <Facts entry={entry} />
    </article>
  );
}

/** The title of a detail page, with the delivery's verdict and time. */
export function DetailHead({
  title,
  row,
  id,
  focus,
}: {
  title: string;
  row: Row;
  id: string | undefined;
  focus: number | string;
}) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    if (document.activeElement?.id !== "list") heading.current?.focus({ preventScroll: true });
  }, [focus]);
  return (
    <header class="detail-head">
      <button type="button" class="back" onClick={() => goTo("/")}>
        ← Deliveries
      </button>
      <h1 ref={heading} tabIndex={-1}>
        <bdi>{visible(title)}</bdi>
      </h1>
      <p class="detail-sub">
        <StateWord row={row} />
        <LocalTime at={row.receivedAt} />
        {row.type === "entry" && <span>#{row.seq}</span>}
        {id !== undefined && (
          <span class="id">
            <code>{visible(id)}</code>
            <CopyButton text={id} label="Copy" name="Copy the event id" />
          </span>
        )}
      </p>
    </header>
  );
}

/** What happened, and what to do. */
export function Summary({ summary, fix, advice = [] }: Pick<Explanation, "summary" | "fix" | "advice">) {
  return (
    <div class="summary">
      <p>{visible(summary)}</p>
      {fix !== null && (
        <p class="fix">
          <strong>Next</strong> {visible(fix)}
        </p>
      )}
      {advice.length > 0 && (
        <ol class="advice">
          {advice.map((line) => (
            <li key={line}>{visible(line)}</li>
          ))}
        </ol>
      )}
    </div>
  );
}

function Repeats({ entry }: { entry: EntryDetail }) {
  const { duplicates, seenAgain, lastSeenAt } = entry;
  if (duplicates === 0) return null;
  const times = seenAgain.length > 0 ? seenAgain : [lastSeenAt];
  return (
    <section aria-labelledby="duplicates-title">
      <h2 id="duplicates-title">Duplicates</h2>
      <p>
        The same event was received {counted(duplicates, "more time")}. Each was answered with 200, and
        nothing ran again.
      </p>
      <p class="quiet">
        {times.map((at, index) => (
          <>
            {index > 0 && ", "}
            <LocalTime at={at} />
          </>
        ))}
        {duplicates > times.length && ", and earlier"}
      </p>
    </section>
  );
}

function Facts({ entry }: { entry: EntryDetail }) {
  const { source, orderKey, bodyHash, finishedHandlers, eventTimestamp, settledAt } = entry;
  const facts: readonly (readonly [string, string | null])[] = [
    ["source", source],
    ["dated", eventTimestamp === null ? null : new Date(eventTimestamp).toISOString()],
    ["received", new Date(entry.receivedAt).toISOString()],
    ["ended", settledAt === null ? null : new Date(settledAt).toISOString()],
    ["order key", orderKey],
    ["handlers done", finishedHandlers.length === 0 ? null : finishedHandlers.join(", ")],
    ["SHA-256 of the body", bodyHash],
  ];
  const known = facts.flatMap(([name, value]) => (value === null ? [] : [[name, value] as const]));
  return (
    <section aria-labelledby="facts-title">
      <h2 id="facts-title">Record</h2>
      <PairList pairs={known} />
    </section>
  );
}

function useReload() {
  const [count, setCount] = useState(0);
  return { count, now: () => setCount((before) => before + 1) };
}
