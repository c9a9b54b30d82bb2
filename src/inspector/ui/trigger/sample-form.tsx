import { useState } from "preact/hooks";
import type { Sample, Triggered } from "../../api.ts";
import type { ApiClient } from "../client.ts";
import { JsonEditor } from "../json/json-editor.tsx";
import { Outcome, SendButton } from "../parts/outcome.tsx";
import { visible } from "../parts/visible.ts";
import { hashOf } from "../route.ts";
import { MOST_DELIVERIES, mostRounds } from "./trigger-steps.ts";
import { useDraft } from "./use-draft.ts";
import { useTrigger } from "./use-trigger.ts";

/** What can be wrong with a triggered delivery, and the fields of the API for it. */
const FAULTS = [
  { name: "none", label: "Nothing: a correct delivery", fields: {} },
  { name: "signature", label: "Wrong signature", fields: { tamper: "signature" } },
  { name: "body", label: "Body changed after signing", fields: { tamper: "body" } },
  { name: "header", label: "Malformed signature header", fields: { tamper: "header" } },
  { name: "unsigned", label: "No signature", fields: { noSignature: true } },
  { name: "duplicate", label: "Duplicate: each one twice", fields: { duplicate: 2 } },
  { name: "stale", label: "Stale: dated 8 days ago", fields: { stale: 8 * 86_400_000 } },
  { name: "future", label: "Dated 1 hour ahead", fields: { future: 3_600_000 } },
] as const;

/** What became of each delivery, with a link to it. */
function SentList({ sent }: { sent: readonly Triggered[] }) {
  if (sent.length === 0) return null;
  return (
    <ol class="sent-list" aria-label="What was sent">
      {sent.map(({ kind, status, word, reason, seq, refusal }, index) => (
        <li key={index}>
          {kind}{" "}
          <span class="quiet">{[status, word, reason].filter((part) => part !== null).join(", ")}</span>{" "}
          {seq !== null && <a href={hashOf(`/entry/${seq}`)}>#{seq}</a>}
          {refusal !== null && <a href={hashOf(`/refusal/${refusal}`)}>why</a>}
        </li>
      ))}
    </ol>
  );
}

/** What to send of a sample, and what became of it. */
export function SampleForm({
  sample,
  samples,
  client,
}: {
  sample: Sample;
  samples: readonly Sample[];
  client: ApiClient;
}) {
  const draft = useDraft(`trigger:${sample.kind}`, sample.data);
  const [fault, setFault] = useState<string>("none");
  const [wanted, setWanted] = useState(1);
  const [isAll, setAll] = useState(false);
  const [isMadeUp, setMadeUp] = useState(true);
  const { sent, progress, result, isBusy, send, stop } = useTrigger(client);
  const { fields } = FAULTS.find(({ name }) => name === fault) ?? FAULTS[0];
  const copies = "duplicate" in fields ? fields.duplicate : 1;
  const kinds = samples.length;
  const madeUpFrom = (isAll ? samples : [sample]).find((one) => one.madeUpFrom !== null)?.madeUpFrom;
  const perRound = (isAll ? kinds : 1) * copies;
  const most = mostRounds(perRound);
  const count = Math.min(wanted, most);
  const submit = () => {
    const what = isAll ? { all: true } : { kind: sample.kind };
    // Without changes, each event gets an id of its own.
    const own = draft.isChanged && !isAll ? { data: draft.text } : {};
    const data = isMadeUp ? {} : { samples: true };
    return send({ ...what, ...own, ...data, ...fields }, count, perRound);
  };
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        void submit();
      }}
    >
      <p>{sample.meaning}.</p>
      <p class="quiet">
        {sample.documented
          ? "The service documents this data."
          : "The service does not document this data; the sample is invented."}
      </p>
      <div class="field">
        <span aria-hidden="true">data</span>
        <JsonEditor label="data" value={draft.text} onChange={draft.setText} />
      </div>
      <div class="trigger-options">
        <label class="field">
          What is wrong with it
          <select value={fault} onChange={(event) => setFault(event.currentTarget.value)}>
            {FAULTS.map(({ name, label }) => (
              <option key={name} value={name}>
                {label}
              </option>
            ))}
          </select>
        </label>
        <label class="field">
          Count
          <input
            type="number"
            min="1"
            max={most}
            value={count}
            aria-describedby="count-limit"
            onInput={(event) => setWanted(Math.max(1, Math.floor(event.currentTarget.valueAsNumber) || 1))}
          />
        </label>
        <label>
          <input type="checkbox" checked={isAll} onChange={(event) => setAll(event.currentTarget.checked)} />
          All {kinds} kinds, with their sample data
        </label>
        {madeUpFrom != null && (
          <label>
            <input
              type="checkbox"
              checked={isMadeUp}
              onChange={(event) => setMadeUp(event.currentTarget.checked)}
            />
            Make up data from {visible(madeUpFrom)}, unless it is edited above
          </label>
        )}
        <p class="quiet" id="count-limit">
          At most {most}
          {perRound > 1 && `, since each sends ${perRound} deliveries, and ${MOST_DELIVERIES} are the most`}.
        </p>
      </div>
      {progress !== undefined && progress.of > 1 && (
        <progress value={progress.done} max={progress.of} aria-label="Sent" />
      )}
      <Outcome result={result} />
      <SentList sent={sent} />
      <div class="form-end">
        {draft.isChanged && (
          <button type="button" onClick={draft.reset}>
            Reset
          </button>
        )}
        {isBusy && count * perRound > 1 && (
          <button type="button" onClick={stop}>
            Stop
          </button>
        )}
        <SendButton
          label={isBusy ? "Sending" : isAll ? `Send all ${kinds} kinds` : `Send ${sample.kind}`}
          isBusy={isBusy}
        />
      </div>
    </form>
  );
}
