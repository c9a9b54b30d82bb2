import { durationText } from "../../../base/text/duration-text.ts";
import { sizeText } from "../../../base/text/size-text.ts";
import { client } from "../client.ts";
import { Command } from "../parts/button.tsx";
import { useLoaded } from "../use-loaded.ts";
import { Checks } from "./checks.tsx";
import { DetailHead } from "./detail-head.tsx";
import { BodyText, Headers } from "./payload.tsx";
import { Next, Reason } from "./why.tsx";

/** `changes` is another number whenever the delivery may have changed. */
export function RefusalPage({ id, changes }: { id: string; changes: number | undefined }) {
  const { value: refusal, failure } = useLoaded(() => client.refusal(id), [id, changes]);
  if (failure !== undefined) return <p class="notice">{failure}</p>;
  if (refusal === undefined || refusal.id !== id) return <p class="notice quiet">Loading {id}</p>;
  const { explanation, reason, body, bytes, duration, status, headers } = refusal;
  const [signature = "sha256=…"] = Object.values(headers)
    .flat()
    .filter((value) => /^sha256=[0-9a-f]{64}$/.test(value));
  return (
    <article class="detail" key={id}>
      <div class="detail-top">
        <DetailHead title={`${refusal.method} ${refusal.target}`} row={refusal} focus={id}>
          <span>
            answered {status} in {durationText(duration)}
          </span>
        </DetailHead>
        <Reason text={explanation.summary} kind="strange" />
        <Next {...explanation} />
      </div>
      <div class="payload">
        <section aria-labelledby="body-title">
          <div class="section-head">
            <h2 id="body-title">Payload</h2>
            <span class="quiet">{sizeText(bytes)}, not authentic, in memory only</span>
          </div>
          {body === null ? (
            <p class="quiet">Only the newest bodies are held, up to 64 KiB each.</p>
          ) : (
            <BodyText body={{ ...body, isLoading: false }} />
          )}
        </section>
        <section aria-labelledby="headers-title">
          <h2 id="headers-title">Request</h2>
          <Headers {...refusal} />
        </section>
      </div>
      <div class="story">
        <Checks explanation={explanation} />
        {reason === "signature_mismatch" && (
          <section aria-labelledby="more-title">
            <h2 id="more-title">Find out more</h2>
            <p>Save the body on the sending side, and find out why its signature fails:</p>
            <Command words={`verify body.json --signature "${signature}"`} />
          </section>
        )}
      </div>
    </article>
  );
}
