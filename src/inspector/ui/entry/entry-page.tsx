import { useState } from "preact/hooks";
import { hasEnded } from "../../../inbox/entry-state.ts";
import type { EntryDetail, Status } from "../../api.ts";
import { BulkButton, BulkDialog } from "../bulk/bulk-dialog.tsx";
import { client } from "../client.ts";
import type { WantedField } from "../json/json-view.tsx";
import { FirstToDiffer } from "../overview/drift-notice.tsx";
import { Fold } from "../parts/fold.tsx";
import { counted, dayTime, exactTime } from "../parts/format.ts";
import { PairList } from "../parts/pair-list.tsx";
import { LocalTime } from "../parts/time.tsx";
import { toHash } from "../route.ts";
import { useLoaded } from "../use-loaded.ts";
import { Attempts } from "./attempts.tsx";
import { Checks } from "./checks.tsx";
import { Comparison } from "./comparison.tsx";
import { DetailHead } from "./detail-head.tsx";
import { EntryActions } from "./entry-actions.tsx";
import { Payload } from "./payload.tsx";
import { ReceivedAdvice, receivedOf } from "./received-advice.tsx";
import { RelatedEvents } from "./related-events.tsx";
import { Next, Why } from "./why.tsx";

interface EntryPageProps {
  seq: number;
  /** The entry that it was sent again from, to compare both. */
  from: number | undefined;
  /** Another number whenever it may have changed. */
  changes: number | undefined;
  status: Status | undefined;
}

export function EntryPage({ seq, from, changes, status }: EntryPageProps) {
  const [reloads, setReloads] = useState(0);
  const [wanted, setWanted] = useState<WantedField & { readonly seq: number }>();
  // outlives the advice, as the entry is received no longer once it runs
  const [asked, setAsked] = useState<number>();
  const { value: entry, failure } = useLoaded(() => client.entry(seq), [seq, changes, reloads]);
  const { value: related } = useLoaded(() => client.related(seq), [seq, entry?.state]);
  if (entry?.seq !== seq)
    return (
      <p class={`notice ${failure === undefined ? "quiet" : ""}`}>{failure ?? `Loading #${seq}`}</p>
    );
  const { explanation, kind, eventId, runs, attempts, state } = entry;
  return (
    <article class="detail" key={seq}>
      <div class="detail-top">
        <DetailHead title={kind ?? "Not an event"} row={entry} id={eventId} focus={seq}>
          {attempts > 1 && <span>attempt {attempts}</span>}
          {explanation.status !== null && <span>answered {explanation.status}</span>}
        </DetailHead>
        {from !== undefined && <Comparison entry={entry} from={from} />}
        <Why entry={entry} onField={(field) => setWanted({ field, seq })} />
        <FirstToDiffer drifts={entry.drifts} />
        {state === "received" && kind !== null ? (
          <ReceivedAdvice kind={kind} status={status} onAsk={() => setAsked(seq)} />
        ) : (
          <Next {...explanation} />
        )}
        <SimilarFailures entry={entry} changes={(changes ?? 0) + reloads} />
        <EntryActions
          entry={entry}
          forwards={status?.forwards ?? []}
          onChanged={() => setReloads(reloads + 1)}
        />
        {asked === seq && kind !== null && (
          <BulkDialog filter={receivedOf(kind)} onClose={() => setAsked(undefined)} />
        )}
      </div>
      <Payload {...{ entry, related }} wanted={wanted?.seq === seq ? wanted : undefined} />
      <div class="story">
        <Checks explanation={explanation} />
        {(runs.length > 0 || !hasEnded(state)) && <Attempts entry={entry} />}
        <Repeats entry={entry} />
        <RelatedEvents seq={seq} related={related} />
        <Facts entry={entry} />
      </div>
    </article>
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
        The same event was received {counted(duplicates, "more time")}. Each was answered with 200,
        and nothing ran again.
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
    ["received", exactTime(entry.receivedAt)],
    ["dated", eventTimestamp === null ? null : exactTime(eventTimestamp)],
    ["ended", settledAt === null ? null : exactTime(settledAt)],
    ["handlers that succeeded", finishedHandlers.length === 0 ? null : finishedHandlers.join(", ")],
    ["order key", orderKey],
    ["source", source],
    ["SHA-256 of the body", bodyHash],
  ];
  const known = facts.flatMap(([name, value]) => (value === null ? [] : [[name, value] as const]));
  return <Fold title="Record">{() => <PairList pairs={known} />}</Fold>;
}

/**
 * How many others failed like an entry, and what can be done with all of them; nothing if it is the
 * only one.
 */
function SimilarFailures({
  entry: { seq, state },
  changes,
}: {
  entry: EntryDetail;
  changes: number;
}) {
  const failed = state === "failing" || state === "dead";
  const { value } = useLoaded(
    async () => (failed ? client.similar(seq) : null),
    [seq, failed, changes],
  );
  const count = value == null ? 0 : value.failing + value.dead;
  const filter = new URLSearchParams({ like: String(seq) });
  return (
    <section class="alike" aria-label="Others that failed alike">
      {value != null && count > 1 && (
        <p>
          <a href={toHash({ path: `/entry/${seq}`, filter })}>
            {counted(count - 1, "other")} failed alike
          </a>
          <span class="quiet">
            {" "}
            · {counted(value.kinds.length, "kind")} · since {dayTime(value.since)}
          </span>
        </p>
      )}
      <BulkButton
        label={`Retry or drop all ${count.toLocaleString("en")}…`}
        filter={filter}
        isOffered={count > 1}
        hasKey
      />
    </section>
  );
}
