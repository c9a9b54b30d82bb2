import { useState } from "preact/hooks";
import type { Sample, Triggered } from "../../api.ts";
import { MOST_TRIGGERED } from "../../changes/most-triggered.ts";
import { client } from "../client.ts";
import { JsonEditor } from "../json/json-editor.tsx";
import { Button } from "../parts/button.tsx";
import { counted, visible } from "../parts/format.ts";
import { Outcome, SendButton, submitting, useOutcome } from "../parts/outcome.tsx";
import { hashOf } from "../route.ts";
import { showSent } from "./show-sent.ts";
import { useDraft } from "./use-draft.ts";

/** What can be wrong with a triggered delivery, and the fields of the API for it. */
const FAULTS = [
  { name: "none", label: "Nothing", fields: {} },
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
          <span class="quiet">
            {[status, word, reason].filter((part) => part !== null).join(", ")}
          </span>{" "}
          {seq !== null && <a href={hashOf(`/entry/${seq}`)}>#{seq}</a>}
          {refusal !== null && <a href={hashOf(`/refusal/${refusal}`)}>why</a>}
        </li>
      ))}
    </ol>
  );
}

export function SampleForm({ samples }: { samples: readonly Sample[] }) {
  const only = samples.length === 1 ? samples[0] : undefined;
  const draft = useDraft(`trigger:${only?.kind ?? "all"}`, only?.data ?? "");
  const [fault, setFault] = useState<string>("none");
  const [wanted, setWanted] = useState(1);
  const [isMadeUp, setMadeUp] = useState(true);
  const [sent, setSent] = useState<readonly Triggered[]>([]);
  const { result, isBusy, run } = useOutcome();
  const { fields } = FAULTS.find(({ name }) => name === fault) ?? FAULTS[0];
  const copies = "duplicate" in fields ? fields.duplicate : 1;
  const most = Math.floor(MOST_TRIGGERED / (samples.length * copies));
  const count = Math.min(wanted, most);
  const madeUpFrom = samples.find((sample) => sample.madeUpFrom !== null)?.madeUpFrom;
  const name = only?.kind ?? `all ${samples.length} kinds`;
  const send = () =>
    run(async () => {
      const what = only === undefined ? { all: true } : { kind: only.kind };
      // Without changes, each event gets an id of its own.
      const own = draft.isChanged ? { data: draft.text } : {};
      const data = isMadeUp ? {} : { samples: true };
      const triggered = await client.trigger({ ...what, ...own, ...data, ...fields, count });
      setSent(triggered);
      const [first, ...others] = triggered;
      if (first !== undefined && others.length === 0) showSent(first);
      return { good: true, text: sentText(triggered) };
    });
  return (
    <form onSubmit={submitting(send)}>
      {only === undefined ? (
        <p>Each kind, with the data of its sample.</p>
      ) : (
        <>
          <p>
            {only.meaning}.{" "}
            <span class="quiet">
              {only.documented
                ? "The service documents this data."
                : "The service does not document this data; the sample is invented."}
            </span>
          </p>
          <div class="field">
            <span aria-hidden="true">data</span>
            <JsonEditor label="data" value={draft.text} onChange={draft.setText} />
          </div>
        </>
      )}
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
          Count, at most {most}
          <input
            type="number"
            min="1"
            max={most}
            value={count}
            onInput={(event) =>
              setWanted(Math.max(1, Math.floor(event.currentTarget.valueAsNumber) || 1))
            }
          />
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
      </div>
      <div class="form-end">
        {draft.isChanged && <Button label="Reset" onClick={draft.reset} />}
        <SendButton label={isBusy ? "Sending" : `Send ${name}`} isBusy={isBusy} />
      </div>
      <Outcome result={result} />
      <SentList sent={sent} />
    </form>
  );
}

/** What was sent, and what became of it, such as "3 deliveries sent: 2 accepted, 1 duplicate." */
function sentText(sent: readonly Triggered[]): string {
  const counts = new Map<string, number>();
  for (const { word, status } of sent) {
    const became = word ?? `answered ${status}`;
    counts.set(became, (counts.get(became) ?? 0) + 1);
  }
  const became = [...counts].map(([name, count]) => `${count} ${name}`).join(", ");
  return `${counted(sent.length, "delivery")} sent: ${became}.`;
}
