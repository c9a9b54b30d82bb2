import { durationText } from "../../duration-text.ts";
import type { ApiClient } from "./client.ts";
import { Command } from "./copy-button.tsx";
import { DetailHead, Summary } from "./entry-page.tsx";
import { size } from "./format.ts";
import { Headers } from "./headers.tsx";
import { useLoaded } from "./use-loaded.ts";
import { Verdict } from "./verdict.tsx";

/** All details of a refused delivery. */
export function RefusalPage({ id, client }: { id: string; client: ApiClient }) {
  const { value: refusal, failure } = useLoaded(() => client.refusal(id), [client, id]);
  if (failure !== undefined) return <p class="notice">{failure}</p>;
  if (refusal === undefined || refusal.id !== id) return <p class="notice quiet">Loading {id}</p>;
  const { explanation, reason, bytes, durationMs, status } = refusal;
  return (
    <article class="detail" key={id}>
      <DetailHead title={`${refusal.method} ${refusal.target}`} row={refusal} id={undefined} focus={id} />
      <Summary {...explanation} />
      <p class="quiet">
        Answered {status} in {durationText(durationMs)}; {size(bytes)} of body read, none of it kept.
      </p>
      <Verdict explanation={explanation} />
      {reason === "signature_mismatch" && (
        <section aria-labelledby="why-title">
          <h2 id="why-title">Find out more</h2>
          <p>Save the body on the sending side, and find out why its signature fails:</p>
          <Command text={'npx hookporter verify body.json --signature "sha256=…"'} />
        </section>
      )}
      <Headers {...refusal} />
    </article>
  );
}
