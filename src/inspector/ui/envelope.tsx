import { useMemo, useState } from "preact/hooks";
import type { EntryDetail, Previous } from "../api.ts";
import type { ApiClient } from "./client.ts";
import { diffLines } from "./diff-lines.ts";
import { size } from "./format.ts";
import { comparableLines } from "./json-reader.ts";
import { JsonView } from "./json-view.tsx";
import { LinesBox } from "./lines-box.tsx";
import { goTo } from "./route.ts";
import { TextView } from "./text-view.tsx";
import { LocalTime } from "./time.tsx";
import { useJsonLines } from "./use-json-lines.ts";
import { useLoaded } from "./use-loaded.ts";
import { type LoadedBody, useWholeBody } from "./use-whole-body.ts";
import { visible } from "./visible.ts";

type Form = "pretty" | "raw" | "changes";

/** An entry's body: indented, raw, or compared with the previous event about the same resource. */
export function Envelope({ entry, client }: { entry: EntryDetail; client: ApiClient }) {
  const [form, setForm] = useState<Form>("pretty");
  const { value: previous } = useLoaded(() => client.previous(entry.seq), [client, entry.seq]);
  const body = useWholeBody(entry, client);
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
          {body.isLoading ? ", loading the rest" : body.cut && ", truncated"}
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
          <span class="quiet">
            <LocalTime at={previous.receivedAt} />
          </span>
        </p>
      )}
      {form === "changes" && previous != null ? (
        <Changes before={previous} after={body.text} />
      ) : (
        <BodyText body={body} isPretty={form !== "raw"} />
      )}
    </section>
  );
}

/** JSON as a tree, and everything else, also a text that is cut, as it was received. */
function BodyText({ body, isPretty }: { body: LoadedBody; isPretty: boolean }) {
  const isWanted = isPretty && body.form === "text" && !body.cut;
  const lines = useJsonLines(body.text, isWanted);
  if (isWanted && lines === undefined) return <p class="notice quiet">Reading {size(body.bytes)}</p>;
  if (isWanted && lines != null) return <JsonView lines={lines} />;
  return <TextView text={body.text} />;
}

/** The most characters of a changed line that are displayed. */
const MAX_LINE = 2000;

const SIGNS = { same: " ", added: "+", removed: "−" } as const;
const SPOKEN = { same: "", added: "added: ", removed: "removed: " } as const;

function Changes({ before, after }: { before: Previous; after: string }) {
  const lines = useMemo(
    () => diffLines(comparableLines(before.body.text), comparableLines(after)),
    [before.body.text, after],
  );
  const render = (index: number) => {
    const { change, text } = lines[index] ?? { change: "same", text: "" };
    return (
      <div class={`change ${change}`}>
        <span aria-hidden="true">{SIGNS[change]} </span>
        <span class="spoken">{SPOKEN[change]}</span>
        {visible(text.length > MAX_LINE ? `${text.slice(0, MAX_LINE)}…` : text)}
      </div>
    );
  };
  return <LinesBox label="Changes" className="changes" lines={() => ({ count: lines.length, render })} />;
}
