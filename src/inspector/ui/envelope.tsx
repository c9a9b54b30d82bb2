import { useState } from "preact/hooks";
import type { EntryDetail, Previous } from "../api.ts";
import type { ApiClient } from "./client.ts";
import { diffLines } from "./diff-lines.ts";
import { dayTime, size } from "./format.ts";
import { comparableLines, prettyJson } from "./pretty-json.ts";
import { goTo } from "./route.ts";
import { useLoaded } from "./use-loaded.ts";
import { visible } from "./visible.ts";

type Form = "pretty" | "raw" | "changes";

/** An entry's body: indented, raw, or compared with the previous event about the same resource. */
export function Envelope({ entry, client }: { entry: EntryDetail; client: ApiClient }) {
  const [form, setForm] = useState<Form>("pretty");
  const { value: previous } = useLoaded(() => client.previous(entry.seq), [client, entry.seq]);
  const body = entry.delivery?.body;
  if (body === undefined) {
    return (
      <section aria-labelledby="body-title">
        <h2 id="body-title">Body</h2>
        <p class="quiet">It was deleted to save space; its SHA-256 is {entry.bodyHash}.</p>
      </section>
    );
  }
  const forms: readonly Form[] = previous == null ? ["pretty", "raw"] : ["pretty", "raw", "changes"];
  return (
    <section aria-labelledby="body-title">
      <div class="section-head">
        <h2 id="body-title">Body</h2>
        <span class="quiet">
          {size(body.bytes)}
          {body.cut && ", truncated"}
        </span>
        <fieldset class="segments" aria-label="Display of the body">
          {forms.map((one) => (
            <button key={one} type="button" aria-pressed={form === one} onClick={() => setForm(one)}>
              {one}
            </button>
          ))}
        </fieldset>
      </div>
      {previous != null && (
        <p class="previous">
          Previous event of the same resource:{" "}
          <button type="button" class="link" onClick={() => goTo(`/entry/${previous.seq}`)}>
            #{previous.seq} {visible(previous.kind ?? "")}
          </button>{" "}
          <span class="quiet">{dayTime(previous.receivedAt)}</span>
        </p>
      )}
      {form === "changes" && previous != null ? (
        <Changes before={previous} after={body.text} />
      ) : (
        <BodyText text={body.text} pretty={form !== "raw" && body.form === "text"} />
      )}
    </section>
  );
}

function BodyText({ text, pretty }: { text: string; pretty: boolean }) {
  const lines = pretty ? prettyJson(text) : undefined;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, so it must be focusable
    <pre class="body" tabIndex={0}>
      {lines === undefined
        ? visible(text, { lines: true })
        : lines.map((tokens, number) => (
            <div key={number}>
              {tokens.map(({ kind, text: token }, index) => (
                <span key={index} class={`json-${kind}`}>
                  {visible(token)}
                </span>
              ))}
            </div>
          ))}
    </pre>
  );
}

const SIGNS = { same: " ", added: "+", removed: "−" } as const;
const SPOKEN = { same: "", added: "added: ", removed: "removed: " } as const;

function Changes({ before, after }: { before: Previous; after: string }) {
  const lines = diffLines(comparableLines(before.body.text), comparableLines(after));
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, so it must be focusable
    <pre class="body changes" tabIndex={0}>
      {lines.map(({ change, text }, number) => (
        <div key={number} class={`change ${change}`}>
          <span aria-hidden="true">{SIGNS[change]} </span>
          <span class="spoken">{SPOKEN[change]}</span>
          {visible(text)}
        </div>
      ))}
    </pre>
  );
}
