import { useState } from "preact/hooks";
import type { Sample, Triggered } from "../api.ts";
import type { ApiClient } from "./client.ts";
import { JsonEditor } from "./json-editor.tsx";
import { Outcome, SendButton, useOutcome } from "./outcome.tsx";
import { hashOf } from "./route.ts";
import { showSent } from "./show-sent.ts";
import { FAULTS } from "./trigger-faults.ts";
import { useDraft } from "./use-draft.ts";
import { useLoaded } from "./use-loaded.ts";

const GROUPS = ["properties", "tenants", "finances", "prospecting"];

/** Sends any of the 12 sample events, optionally edited, signed. */
export function TriggerPage({ client }: { client: ApiClient }) {
  const { value: samples, failure } = useLoaded(() => client.samples(), [client]);
  const [kind, setKind] = useState("payment.received");
  if (failure !== undefined && samples === undefined) return <p class="notice">{failure}</p>;
  const sample = samples?.find((one) => one.kind === kind);
  return (
    <main class="page trigger">
      <h1>Trigger a sample</h1>
      <p class="lead">
        Creates a sample event, signs it with the current secret and sends it to this receiver, as the service
        would.
      </p>
      <div class="trigger-columns">
        <fieldset class="kinds">
          <legend>Kind</legend>
          {GROUPS.map((group) => (
            <div key={group} class="kind-group">
              <h2>{group}</h2>
              {samples
                ?.filter((one) => one.group === group)
                .map((one) => (
                  <label key={one.kind}>
                    <input
                      type="radio"
                      name="kind"
                      value={one.kind}
                      checked={one.kind === kind}
                      onChange={() => setKind(one.kind)}
                    />
                    {one.kind}
                  </label>
                ))}
            </div>
          ))}
        </fieldset>
        {sample !== undefined && <SampleForm key={kind} sample={sample} client={client} />}
      </div>
    </main>
  );
}

/** The most events of a kind per press. */
const MOST = 100;

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

function SampleForm({ sample, client }: { sample: Sample; client: ApiClient }) {
  const draft = useDraft(`trigger:${sample.kind}`, sample.data);
  const [fault, setFault] = useState<string>("none");
  const [count, setCount] = useState(1);
  const [isAll, setAll] = useState(false);
  const [sent, setSent] = useState<readonly Triggered[]>([]);
  const { result, setResult, isBusy, run } = useOutcome();
  const send = () =>
    run(async () => {
      setSent([]);
      const { fields } = FAULTS.find(({ name }) => name === fault) ?? FAULTS[0];
      const what = isAll ? { all: true } : { kind: sample.kind };
      // Without changes, each event gets an id of its own.
      const own = draft.isChanged && !isAll ? { data: draft.text } : {};
      const triggered = await client.trigger({ ...what, ...own, ...fields, count });
      setSent(triggered);
      setResult({
        isGood: true,
        text: `${triggered.length === 1 ? "1 delivery" : `${triggered.length} deliveries`} sent.`,
      });
      const [only] = triggered;
      if (triggered.length === 1 && only !== undefined) showSent(only);
    });
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        void send();
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
            max={MOST}
            value={count}
            onInput={(event) => setCount(Math.max(1, Math.floor(event.currentTarget.valueAsNumber) || 1))}
          />
        </label>
        <label>
          <input type="checkbox" checked={isAll} onChange={(event) => setAll(event.currentTarget.checked)} />
          All 12 kinds, with their sample data
        </label>
      </div>
      <Outcome result={result} />
      <SentList sent={sent} />
      <div class="form-end">
        {draft.isChanged && (
          <button type="button" onClick={draft.reset}>
            Reset
          </button>
        )}
        <SendButton
          label={isBusy ? "Sending" : isAll ? "Send all 12 kinds" : `Send ${sample.kind}`}
          isBusy={isBusy}
        />
      </div>
    </form>
  );
}
