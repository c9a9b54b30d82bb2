import { useEffect, useState } from "preact/hooks";
import { countsText } from "../../../inbox/counts.ts";
import type { DriftNote, EntryRow } from "../../api.ts";
import type { Overview } from "../../overview/overview-api.ts";
import { BulkButton } from "../bulk/bulk-dialog.tsx";
import type { ApiClient } from "../client.ts";
import { Command } from "../parts/copy-button.tsx";
import { dayTime } from "../parts/format.ts";
import { visible } from "../parts/visible.ts";
import { useLoaded } from "../use-loaded.ts";
import { DriftList } from "./drift-notice.tsx";
import { DurationsChart } from "./durations-chart.tsx";
import { LatencyChart } from "./latency-chart.tsx";
import { MinutesChart } from "./minutes-chart.tsx";

/** Milliseconds between refreshes. */
const REFRESH = 2000;

/** Statistics since the start of `listen`. */
export function OverviewPage({ client, drifts }: { client: ApiClient; drifts: readonly DriftNote[] }) {
  const [look, setLook] = useState(0);
  useEffect(() => {
    const timer = setInterval(() => setLook((count) => count + 1), REFRESH);
    return () => clearInterval(timer);
  }, []);
  const { value, failure } = useLoaded(() => client.overview(), [client, look]);
  if (value === undefined)
    return <p class={`notice ${failure === undefined ? "quiet" : ""}`}>{failure ?? "Loading"}</p>;
  return (
    <main class="page overview">
      <h1>Overview</h1>
      <p class="lead">{leadOf(value)}</p>
      <section class="panel wide" aria-labelledby="minutes-title">
        <h2 id="minutes-title">Deliveries per minute</h2>
        <MinutesChart minutes={value.minutes} since={value.since} />
      </section>
      <section class="panel" aria-labelledby="latency-title">
        <h2 id="latency-title">Response time</h2>
        <LatencyChart buckets={value.latency} />
      </section>
      <section class="panel" aria-labelledby="durations-title">
        <h2 id="durations-title">Handlers by kind</h2>
        {value.durations.length === 0 ? <NoHandlers /> : <DurationsChart durations={value.durations} />}
      </section>
      <DriftList drifts={drifts} />
      <DeadLetters
        dead={value.dead}
        reasons={value.deadReasons}
        count={value.counts.dead}
        client={client}
        onChanged={() => setLook((count) => count + 1)}
      />
    </main>
  );
}

function NoHandlers() {
  return (
    <>
      <p class="quiet">No handler has run since listen started.</p>
      <Command text="npx hookporter listen --handlers handlers/" />
      <Command text="npx hookporter listen --forward-to 3000/webhooks" />
    </>
  );
}

const DEAD = new URLSearchParams({ state: "dead" });

function DeadLetters({
  dead,
  reasons,
  count,
  client,
  onChanged,
}: {
  dead: readonly EntryRow[];
  reasons: Overview["deadReasons"];
  count: number;
  client: ApiClient;
  onChanged: () => void;
}) {
  return (
    <section class="panel wide" aria-labelledby="dead-title">
      <div class="section-head">
        <h2 id="dead-title">Dead letters</h2>
        <span class="quiet">{count === 0 ? "none" : count.toLocaleString("en")}</span>
        <BulkButton
          label="Retry or drop…"
          filter={DEAD}
          client={client}
          isOffered={count > 0}
          onDone={onChanged}
        />
      </div>
      <DeadChart reasons={reasons} count={count} />
      <ul class="dead-list">
        {dead.slice(0, 8).map(({ id, seq, kind, why, receivedAt }) => (
          <li key={id}>
            <a href={`#/entry/${seq}`}>
              #{seq} <bdi>{visible(kind ?? "not an event")}</bdi>
            </a>
            <span class="dead-why">{visible(why ?? "no reason is known")}</span>
            <span class="quiet">{dayTime(receivedAt)}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}

/** The newest dead letters by reason: one bar, divided by their shares. */
function DeadChart({ reasons, count }: { reasons: Overview["deadReasons"]; count: number }) {
  const all = reasons.reduce((sum, { count: one }) => sum + one, 0);
  if (all === 0) return <p class="quiet">There are no dead letters.</p>;
  const told = reasons.map(({ words, count: one }) => `${visible(words)} (${one})`).join(", ");
  let from = 0;
  return (
    <figure>
      <svg
        class="shares"
        viewBox="0 0 720 14"
        preserveAspectRatio="none"
        role="img"
        aria-label={`By reason: ${told}`}
      >
        {reasons.map(({ words, count: one }, index) => {
          const x = (720 * from) / all;
          from += one;
          const width = (720 * one) / all - 2;
          return <rect key={words} class={`part part-${index % 4}`} x={x} y="0" width={width} height="14" />;
        })}
      </svg>
      <figcaption class="quiet">
        {told}
        {count > all && ` among the newest ${all}`}
      </figcaption>
    </figure>
  );
}

function leadOf({ since, counts }: Overview): string {
  const inbox = countsText(counts, (number) => number.toLocaleString("en")) || "nothing";
  return `Since ${dayTime(since)}. In the inbox: ${inbox}.`;
}
