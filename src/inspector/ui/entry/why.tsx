import { lastRunsOf } from "../../../inbox/outline.ts";
import type { EntryDetail, Explanation, RunDetail } from "../../api.ts";
import { visible } from "../parts/format.ts";
import { Prose } from "../parts/prose.tsx";
import { ErrorText } from "./error-text.tsx";

/**
 * What happened to an entry. If it failed: first the error, its place and its causes, or the fields
 * that do not fit.
 */
export function Why({ entry, onField }: { entry: EntryDetail; onField: (field: string) => void }) {
  const { problems, runs, state, reason, explanation } = entry;
  const summary = (
    <p class="summary">
      <Prose text={explanation.summary} />
    </p>
  );
  if (state === "handled" || state === "received" || reason === "dropped") return summary;
  const failed = lastRunsOf(runs).filter(({ outcome }) => outcome !== "ok");
  if (problems.length > 0 || failed.length > 0) {
    return (
      <>
        {problems.length > 0 ? (
          <Problems entry={entry} onField={onField} />
        ) : (
          <Failures runs={failed} />
        )}
        {summary}
      </>
    );
  }
  return state === "dead" ? <Reason text={explanation.summary} /> : summary;
}

/** A reason that says it all. `strange` if it is about a delivery that was refused. */
export function Reason({ text, kind = "failed" }: { text: string; kind?: "failed" | "strange" }) {
  return (
    <div class={`why ${kind}`}>
      <p class="headline">
        <Prose text={text} />
      </p>
    </div>
  );
}

function Failures({ runs }: { runs: readonly RunDetail[] }) {
  return (
    <div class="why">
      {runs.map((run) => (
        <div key={run.handler}>
          {runs.length > 1 && <p class="quiet">{visible(run.handler)}</p>}
          <ErrorText run={run} />
        </div>
      ))}
    </div>
  );
}

function Problems({ entry, onField }: { entry: EntryDetail; onField: (field: string) => void }) {
  return (
    <dl class="why problems">
      {entry.problems.map(({ field, message }) => (
        <div key={`${field} ${message}`}>
          <dt>
            <button
              type="button"
              class="link"
              title="Go to it in the payload"
              onClick={() => onField(field)}
            >
              <code>{visible(field)}</code>
            </button>
          </dt>
          <dd>{visible(message)}</dd>
        </div>
      ))}
    </dl>
  );
}

/** What to do: the fix, or what to try if nothing explains it. */
export function Next({ fix, advice = [] }: Pick<Explanation, "fix" | "advice">) {
  if (fix === null && advice.length === 0) return null;
  return (
    <div class="next">
      <p>
        <strong>Next</strong>{" "}
        <Prose text={advice.length > 0 ? "Try this, in order:" : (fix ?? "")} />
      </p>
      {advice.length > 0 && (
        <ol class="advice">
          {advice.map((line) => (
            <li key={line}>
              <Prose text={line} />
            </li>
          ))}
        </ol>
      )}
    </div>
  );
}
