import { useState } from "preact/hooks";
import { firstLine } from "../../../base/text/short-text.ts";
import { countsText } from "../../../inbox/counts.ts";
import type { DriftNote } from "../../api.ts";
import type { FailureRow, Overview } from "../../overview/overview-api.ts";
import { BulkButton, BulkDialog } from "../bulk/bulk-dialog.tsx";
import { client } from "../client.ts";
import { Button } from "../parts/button.tsx";
import { counted, dayTime, visible } from "../parts/format.ts";
import { toHash } from "../route.ts";
import { usePolled } from "../use-loaded.ts";
import { DriftList } from "./drift-notice.tsx";
import { DurationsTable } from "./durations-table.tsx";
import { MinutesChart } from "./minutes-chart.tsx";
import { PauseButton } from "./paused-notice.tsx";

const REFRESH = 2000; // milliseconds between refreshes

export function OverviewPage({ drifts }: { drifts: readonly DriftNote[] }) {
  const { value, failure, again } = usePolled(client.overview, REFRESH);
  if (value === undefined)
    return <p class={`notice ${failure === undefined ? "quiet" : ""}`}>{failure ?? "Loading"}</p>;
  return (
    <main class="page overview">
      <div class="section-head">
        <h1>Overview</h1>
        <PauseButton />
      </div>
      <p class="lead">{leadOf(value)}</p>
      {value.damage !== null && (
        <p class="warning" role="alert">
          No delivery is acknowledged: {visible(value.damage)}
        </p>
      )}
      {value.mismatched.map((text) => (
        <p key={text} class="warning" role="status">
          Signatures match no secret: {visible(text)}
        </p>
      ))}
      <Failures value={value} onChanged={again} />
      <section class="panel" aria-labelledby="minutes-title">
        <h2 id="minutes-title">Deliveries per minute</h2>
        <MinutesChart minutes={value.minutes} since={value.since} />
      </section>
      <DurationsTable {...value} />
      <DriftList drifts={drifts} />
    </main>
  );
}

/** What failing entries and dead letters failed with: one line for all that failed alike. */
function Failures({ value, onChanged }: { value: Overview; onChanged: () => void }) {
  // outlives the error's line, since its own work may remove it
  const [asked, setAsked] = useState<number>();
  const { failed, failures, failuresArePart } = value;
  const all = countsText(failed, (count) => count.toLocaleString("en"));
  return (
    <section class="panel wide" aria-labelledby="failures-title">
      <div class="section-head">
        <h2 id="failures-title">Errors</h2>
        <span class="quiet">{all || "none"}</span>
        <BulkButton
          label="Retry or drop all…"
          filter={FAILED}
          isOffered={all !== ""}
          hasKey
          onDone={onChanged}
        />
      </div>
      {failuresArePart && <p class="quiet">Only the newest are compared.</p>}
      <ul class="failures">
        {failures.map((failure) => (
          <FailureItem key={failure.like} failure={failure} onAsk={() => setAsked(failure.like)} />
        ))}
      </ul>
      {asked !== undefined && (
        <BulkDialog
          filter={new URLSearchParams({ like: String(asked) })}
          onClose={() => {
            setAsked(undefined);
            onChanged();
          }}
        />
      )}
    </section>
  );
}

const FAILED = new URLSearchParams({ state: "failing,dead" });

function FailureItem({ failure, onAsk }: { failure: FailureRow; onAsk: () => void }) {
  const { error, at, failing, dead, kinds, since, like } = failure;
  const filter = new URLSearchParams({ like: String(like) });
  const count = (failing + dead).toLocaleString("en");
  return (
    <li>
      <div class="failure">
        <a href={toHash({ path: `/entry/${like}`, filter })}>{visible(firstLine(error, 300))}</a>
        <span class="quiet">
          {at !== null && <>{visible(at)} · </>}
          {counted(failing + dead, "event")} · {kindsText(kinds)}since {dayTime(since)}
        </span>
      </div>
      <Button label={`Retry or drop ${count}…`} aria-haspopup="dialog" onClick={onAsk} />
    </li>
  );
}

function kindsText(kinds: readonly string[]): string {
  const [only = ""] = kinds;
  if (kinds.length === 0) return ""; // no event
  return `${kinds.length === 1 ? visible(only) : counted(kinds.length, "kind")} · `;
}

function leadOf({ since, counts }: Overview): string {
  const inbox = countsText(counts, (number) => number.toLocaleString("en")) || "nothing";
  return `Since ${dayTime(since)}. In the inbox: ${inbox}.`;
}
