import { useState } from "preact/hooks";
import { client } from "../client.ts";
import { useLoaded } from "../use-loaded.ts";
import { SampleForm } from "./sample-form.tsx";

const ALL = "all";
const GROUPS = ["properties", "tenants", "finances", "prospecting"];

export function TriggerPage() {
  const { value: samples, failure } = useLoaded(() => client.samples(), []);
  const [kind, setKind] = useState("payment.received");
  if (samples === undefined) return failure === undefined ? null : <p class="notice">{failure}</p>;
  return (
    <main class="page trigger">
      <h1>Trigger a sample</h1>
      <p class="lead">
        Creates a sample event, signs it with the current secret and sends it to this receiver, as
        the service would.
      </p>
      <div class="trigger-columns">
        <fieldset class="kinds">
          <legend>Kind</legend>
          <KindChoice
            name={ALL}
            label={`all ${samples.length} kinds`}
            chosen={kind}
            choose={setKind}
          />
          {GROUPS.map((group) => (
            <div key={group} class="kind-group">
              <h2>{group}</h2>
              {samples
                .filter((sample) => sample.group === group)
                .map((sample) => (
                  <KindChoice
                    key={sample.kind}
                    name={sample.kind}
                    label={sample.kind}
                    chosen={kind}
                    choose={setKind}
                  />
                ))}
            </div>
          ))}
        </fieldset>
        <SampleForm
          key={kind}
          samples={kind === ALL ? samples : samples.filter((sample) => sample.kind === kind)}
        />
      </div>
    </main>
  );
}

interface KindChoiceProps {
  name: string;
  label: string;
  chosen: string;
  choose: (kind: string) => void;
}

function KindChoice({ name, label, chosen, choose }: KindChoiceProps) {
  return (
    <label>
      <input type="radio" name="kind" checked={name === chosen} onChange={() => choose(name)} />
      {label}
    </label>
  );
}
