import type { ComponentChildren } from "preact";
import { durationText } from "../../../base/text/duration-text.ts";
import { sizeText } from "../../../base/text/size-text.ts";
import { onceText } from "../../../inbox/target-wait.ts";
import type { EntryDetail, RunDetail, ShownAnswer } from "../../api.ts";
import { counted, exactTime, visible } from "../parts/format.ts";
import { PairList } from "../parts/pair-list.tsx";
import { Countdown, LocalTime } from "../parts/time.tsx";
import { ErrorText } from "./error-text.tsx";

export function Attempts({ entry }: { entry: EntryDetail }) {
  const { runs, state, reason, runAt, receivedAt } = entry;
  const waits = (state === "waiting" || state === "failing") && runAt > Date.now();
  return (
    <section aria-labelledby="attempts-title">
      <h2 id="attempts-title">Attempts</h2>
      {runs.length === 0 && <p class="quiet">No attempt has finished yet.</p>}
      <ol class="timeline">
        {waits && (
          <li class="run waiting">
            Next attempt{" "}
            {onceText(reason) ?? (
              <>
                <Countdown to={runAt} />, at <LocalTime at={runAt} />
              </>
            )}
          </li>
        )}
        {state === "running" && <li class="run running">Running now</li>}
        {runs
          .map((run, index) => (
            <Run
              key={index}
              run={run}
              after={run.startedAt - receivedAt}
              repeatedIn={repeatedIn(run, runs.slice(index + 1))}
            />
          ))
          .toReversed()}
      </ol>
    </section>
  );
}

/**
 * The last attempt up to which the handler failed with the same error at the same place;
 * `undefined` if it is this one.
 */
function repeatedIn(
  { handler, error, failure }: RunDetail,
  later: readonly RunDetail[],
): number | undefined {
  if (error === null) return undefined;
  const own = later.filter((run) => run.handler === handler);
  const other = own.findIndex((run) => run.error !== error || run.failure?.at !== failure?.at);
  return own[(other < 0 ? own.length : other) - 1]?.attempt;
}

function Run({
  run,
  after,
  repeatedIn,
}: {
  run: RunDetail;
  after: number;
  repeatedIn: number | undefined;
}) {
  const { attempt, handler, outcome, duration, error, failure, note, startedAt } = run;
  const word = outcome === "ok" ? "handled" : outcome;
  return (
    <li class={`run ${outcome}`}>
      <div class="run-head">
        <span class={`state ${outcome}`}>{word}</span>
        <span class="run-name">
          attempt {attempt}, <bdi>{visible(handler)}</bdi>
        </span>
        <span class="quiet">
          <LocalTime at={startedAt} isExact />, {durationText(after)} after arrival, took{" "}
          {durationText(duration)}
        </span>
      </div>
      {repeatedIn !== undefined && <p class="quiet">the same error as in attempt {repeatedIn}</p>}
      {error !== null && repeatedIn === undefined && !isSaidBy(note, error) && (
        <ErrorText run={run} />
      )}
      {repeatedIn === undefined && failure?.stack != null && (
        <details>
          <summary>Stack</summary>
          <Said>{visible(failure.stack, { lines: true })}</Said>
        </details>
      )}
      {note !== null && <Said>{visible(note, { lines: true })}</Said>}
      {run.answer !== null && <TargetHead answer={run.answer} />}
      <Printed run={run} />
    </li>
  );
}

/**
 * Whether an error only repeats a note, which is a target's answer. One that also explains the
 * answer does not.
 */
function isSaidBy(note: string | null, error: string): boolean {
  if (note === null) return false;
  const [status = "", ...body] = note.split("\n");
  const [, reported] = error.split(`answered ${status.slice(0, 3)}`);
  if (reported === undefined) return false;
  const said = body.join(" ").replaceAll(/\s+/g, " ").trim();
  return `: ${said}`.startsWith(reported.replace(/…$/, ""));
}

export function Said({ children }: { children: ComponentChildren }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, so it must be reachable
    <pre class="said" tabIndex={0}>
      {children}
    </pre>
  );
}

function Printed({ run: { printed, unprinted } }: { run: RunDetail }) {
  if (printed.length === 0) return null;
  return (
    <div class="printed">
      <h3>Printed</h3>
      <Said>
        {printed.map(({ at, level, text }, index) => (
          <span key={index} class={`printed-${level}`} title={exactTime(at)}>
            {level === "warn" || level === "error" ? `${level}  ` : ""}
            {visible(text)}
            {"\n"}
          </span>
        ))}
      </Said>
      {unprinted > 0 && (
        <p class="quiet">and {counted(unprinted, "more line")}, which were not kept</p>
      )}
    </div>
  );
}

function TargetHead({ answer }: { answer: ShownAnswer }) {
  const { status, headers, bytes, isCut, duration } = answer;
  return (
    <details>
      <summary>
        Answer {status}, {sizeText(bytes)}
        {isCut && " or more"}, after {durationText(duration)}
      </summary>
      <PairList pairs={Object.entries(headers)} />
    </details>
  );
}
