import { useEffect, useRef, useState } from "preact/hooks";
import type { BulkFates, BulkResult, Change, OpenState, Tally } from "../../changes/bulk-api.ts";
import { client } from "../client.ts";
import type { PageFilter } from "../page-filter.ts";
import { Button } from "../parts/button.tsx";
import { CloseButton, Dialog } from "../parts/dialog.tsx";
import { Outcome, SendButton, submitting, useOutcome } from "../parts/outcome.tsx";
import { apiFilter } from "../route.ts";
import { useKeys } from "../use-keys.ts";
import { useLoaded } from "../use-loaded.ts";
import {
  type Choice,
  choicesFor,
  fatesText,
  filterText,
  leftText,
  resultText,
} from "./bulk-words.ts";

interface BulkButtonProps {
  label: string;
  /**
   * Whether there may be something to change. An open dialog stays, since its own work may be why
   * there no longer is.
   */
  isOffered?: boolean;
  /** Whether the key R presses it. */
  hasKey?: boolean;
  filter: PageFilter;
  onDone?: () => void;
}

/** A button that asks what to do with all entries that match a filter, counts them, and does it. */
export function BulkButton({
  label,
  filter,
  isOffered = true,
  hasKey = false,
  onDone,
}: BulkButtonProps) {
  const [isOpen, setOpen] = useState(false);
  const open = () => setOpen(true);
  useKeys(isOffered && hasKey ? { R: open } : {});
  return (
    <>
      {isOffered && (
        <Button
          label={label}
          aria-haspopup="dialog"
          title={hasKey ? "Shift+R" : undefined}
          onClick={open}
        />
      )}
      {isOpen && (
        <BulkDialog
          filter={filter}
          onClose={() => {
            setOpen(false);
            onDone?.();
          }}
        />
      )}
    </>
  );
}

export function BulkDialog({ filter, onClose }: { filter: PageFilter; onClose: () => void }) {
  // a filter by age must not move on while the dialog is open
  const [query] = useState(() => apiFilter(filter));
  const { tally, failure, isCounting } = useTally(query);
  return (
    <Dialog title="Retry or drop entries" onClose={onClose}>
      <p class="quiet">
        Entries {filterText(filter) || "in the inbox"}, also those further down than the list has
        loaded.
      </p>
      {isCounting && (
        <p role="status">{tally === undefined ? "Counting" : `Counting, ${sumOf(tally)} so far`}</p>
      )}
      {failure !== undefined && <p role="alert">{failure}</p>}
      {!isCounting && tally !== undefined && <Question tally={tally} query={query} />}
    </Dialog>
  );
}

function Question({ tally, query }: { tally: Tally; query: URLSearchParams }) {
  const [takeBack, setTakeBack] = useState(false);
  const [chosen, setChosen] = useState<Change>();
  const [pace, setPace] = useState<{ rate?: number | undefined }>({});
  const [progress, setProgress] = useState<{ readonly changed: number; readonly of: number }>();
  const { result, isBusy, run } = useOutcome();
  const stopping = useRef(new AbortController());
  useEffect(() => () => stopping.current.abort(), []);
  const choices = choicesFor(tally, takeBack);
  const choice = choices.find(({ change }) => change === chosen) ?? choices[0];
  const [fates, setFates] = useState<BulkFates>();
  const act = ({ change }: Choice) =>
    run(
      () =>
        new Promise((resolve, reject) => {
          const fields = { change, takeBack, upTo: tally.newest ?? 0, follow: true, ...pace };
          const onResult = (done: BulkResult) => resolve({ good: true, text: resultText(done) });
          const listener = { onStep: setProgress, onResult, onFates: setFates };
          client.change(query, fields, listener, stopping.current.signal).catch(reject);
        }),
    );
  if (result?.good === true) {
    return (
      <>
        <Outcome result={result} />
        {fates !== undefined && <p role="status">{fatesText(fates)}</p>}
        <div class="form-end">
          <CloseButton label="Close" isMain />
        </div>
      </>
    );
  }
  return (
    <form onSubmit={submitting(() => choice !== undefined && act(choice))}>
      {choice === undefined && <p>There is nothing to retry or drop.</p>}
      <fieldset class="choices" aria-label="What to do" disabled={isBusy}>
        {choices.map((offered) => (
          <label key={offered.change} class="choice">
            <input
              type="radio"
              name="change"
              checked={offered === choice}
              onChange={() => setChosen(offered.change)}
            />
            <span>
              {offered.label}
              <span class="quiet">{offered.text}</span>
            </span>
          </label>
        ))}
      </fieldset>
      {tally.dropped > 0 && choice?.change !== "drop" && (
        <label>
          <input
            type="checkbox"
            checked={takeBack}
            disabled={isBusy}
            onChange={(event) => setTakeBack(event.currentTarget.checked)}
          />
          Also the {tally.dropped.toLocaleString("en")} dropped before
        </label>
      )}
      {choice?.change === "retry" && (
        <p>
          <NumberField label="Entries per second" onChange={(rate) => setPace({ rate })} />
        </p>
      )}
      {choice !== undefined &&
        leftText(tally, choice.change).map((text) => (
          <p key={text} class="quiet">
            {text}
          </p>
        ))}
      {isBusy && progress !== undefined && (
        <progress value={progress.changed} max={progress.of} aria-label="Changed" />
      )}
      <Outcome result={result} />
      <div class="form-end">
        <CloseButton label={isBusy ? "Stop" : "Cancel"} />
        {choice !== undefined && <SendButton label={choice.label} isBusy={isBusy} />}
      </div>
    </form>
  );
}

function NumberField({
  label,
  onChange,
}: {
  label: string;
  onChange: (value: number | undefined) => void;
}) {
  return (
    <label>
      {label}{" "}
      <input
        type="number"
        min="1"
        max="100000"
        onInput={({ currentTarget: { value } }) =>
          onChange(value === "" ? undefined : Number(value))
        }
      />
    </label>
  );
}

function sumOf({ states, dropped, foreign }: Tally): string {
  const { waiting, failing, running, dead, received } = states;
  return (waiting + failing + running + dead + received + dropped + foreign).toLocaleString("en");
}

/** Counts the entries that match a filter, in as many requests as it takes. */
function useTally(filter: PageFilter) {
  const [tally, setTally] = useState<Tally>();
  const { failure } = useLoaded(async (isCurrent) => {
    let sum: Tally | undefined;
    do {
      const query = new URLSearchParams(filter);
      if (sum?.next != null) query.set("before", String(sum.next));
      sum = plus(sum, await client.tally(query));
      if (isCurrent()) setTally(sum);
    } while (isCurrent() && sum.next !== null);
  }, []);
  return { tally, failure, isCounting: failure === undefined && tally?.next !== null };
}

function plus(sum: Tally | undefined, more: Tally): Tally {
  if (sum === undefined) return more;
  const states = { ...sum.states };
  for (const state of Object.keys(states) as OpenState[]) states[state] += more.states[state];
  const { dropped, foreign, newest } = sum;
  return {
    states,
    dropped: dropped + more.dropped,
    foreign: foreign + more.foreign,
    newest: newest ?? more.newest,
    next: more.next,
  };
}
