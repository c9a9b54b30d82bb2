import { useState } from "preact/hooks";
import type { ApiClient } from "../client.ts";
import { useLoaded } from "../use-loaded.ts";
import { SampleForm } from "./sample-form.tsx";

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
        {sample !== undefined && (
          <SampleForm key={kind} sample={sample} samples={samples ?? []} client={client} />
        )}
      </div>
    </main>
  );
}
