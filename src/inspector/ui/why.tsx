import type { EntryDetail } from "../api.ts";
import { ErrorText } from "./error-text.tsx";
import { visible } from "./visible.ts";

type Run = EntryDetail["runs"][number];

/** What failed, where, and its causes; or the fields that do not fit. Nothing for an entry without a failure. */
export function Why({ entry }: { entry: EntryDetail }) {
  const { problems, runs, state } = entry;
  if (state === "done" || state === "unhandled") return null;
  if (problems.length > 0) return <Problems problems={problems} />;
  const last = Math.max(0, ...runs.map(({ attempt }) => attempt));
  const failed = runs.filter(({ attempt, outcome }) => attempt === last && outcome !== "ok");
  if (failed.length === 0) return null;
  return (
    <div class="why">
      {failed.map((run) => (
        <Failure key={run.handler} run={run} isOnly={failed.length === 1} />
      ))}
    </div>
  );
}

function Failure({ run, isOnly }: { run: Run; isOnly: boolean }) {
  return (
    <>
      {!isOnly && <p class="quiet">{visible(run.handler)}</p>}
      <ErrorText run={run} />
    </>
  );
}

function Problems({ problems }: Pick<EntryDetail, "problems">) {
  return (
    <dl class="why problems">
      {problems.map(({ field, message }) => (
        <div key={`${field} ${message}`}>
          <dt>
            <code>{visible(field)}</code>
          </dt>
          <dd>{visible(message)}</dd>
        </div>
      ))}
    </dl>
  );
}
