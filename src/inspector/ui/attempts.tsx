import { durationText } from "../../duration-text.ts";
import type { EntryDetail } from "../api.ts";
import { LocalTime } from "./time.tsx";
import { visible } from "./visible.ts";

/** An entry's handler runs and forwards as a timeline: start, duration, outcome, and the target's response. */
export function Attempts({ entry }: { entry: EntryDetail }) {
  const { runs, state, reason, runAt, receivedAt } = entry;
  const longest = Math.max(1, ...runs.map(({ durationMs }) => durationMs));
  const waits = state === "pending" && runAt > Date.now();
  return (
    <section aria-labelledby="attempts-title">
      <h2 id="attempts-title">Attempts</h2>
      {runs.length === 0 && <p class="quiet">{whyNone(entry)}</p>}
      <ol class="timeline">
        {runs.map((run, index) => (
          <Run key={index} run={run} after={run.startedAt - receivedAt} longest={longest} />
        ))}
        {state === "running" && <li class="run running">Running now</li>}
        {waits && (
          <li class="run pending">
            {reason === "target_away" ? (
              "Next attempt in its turn, once its target answers"
            ) : (
              <>
                Next attempt at <LocalTime at={runAt} />
              </>
            )}
          </li>
        )}
      </ol>
    </section>
  );
}

function Run({ run, after, longest }: { run: EntryDetail["runs"][number]; after: number; longest: number }) {
  const { attempt, handler, outcome, durationMs, error, failure, note, startedAt } = run;
  const word = outcome === "ok" ? "handled" : outcome;
  return (
    <li class={`run ${outcome}`}>
      <div class="run-head">
        <span class={`state ${outcome}`}>{word}</span>
        <span class="run-name">
          <bdi>{visible(handler)}</bdi>, attempt {attempt}
        </span>
        <span class="quiet">
          <LocalTime at={startedAt} isExact />, {durationText(after)} after arrival
        </span>
      </div>
      <div class="bar-row">
        <span class="bar" style={{ width: `${Math.max(0.5, (durationMs / longest) * 100)}%` }} />
        <span class="bar-text">{durationText(durationMs)}</span>
      </div>
      {error !== null && !isSaidBy(note, error) && <Said text={withName(error, failure?.name)} />}
      {failure?.at != null && (
        <p class="run-at">
          at <code>{visible(failure.at)}</code>
        </p>
      )}
      {failure?.stack != null && (
        <details>
          <summary>Stack</summary>
          <Said text={failure.stack} />
        </details>
      )}
      {note !== null && <Said text={note} />}
    </li>
  );
}

function withName(error: string, name = "Error"): string {
  return name.endsWith("Error") && name !== "Error" ? `${name}: ${error}` : error;
}

/** Whether an error only repeats a note, which is a target's answer. One that also explains the answer does not. */
function isSaidBy(note: string | null, error: string): boolean {
  if (note === null) return false;
  const [status = "", ...body] = note.split("\n");
  const [, told] = error.split(`answered ${status.slice(0, 3)}`);
  if (told === undefined) return false;
  const said = body.join(" ").replaceAll(/\s+/g, " ").trim();
  return `: ${said}`.startsWith(told.replace(/…$/, ""));
}

/** The text of a handler or a target. */
function Said({ text }: { text: string }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, so it must be reachable
    <pre class="said" tabIndex={0}>
      {visible(text, { lines: true })}
    </pre>
  );
}

function whyNone({ state, reason, settledAt }: EntryDetail): string {
  if (reason === "invalid_data") return "None: its data does not fit the schema, so no handler ran.";
  if (state === "dead") return "None: it was a dead letter from the start.";
  if (state === "unhandled") return "None: there is no handler or target for this kind.";
  if (state === "done" && settledAt !== null) return "No runs are recorded.";
  return "No attempt has finished yet.";
}
