import { durationText } from "../../../base/text/duration-text.ts";
import type { EntryDetail } from "../../api.ts";
import { client } from "../client.ts";
import { Button } from "../parts/button.tsx";
import { counted, visible } from "../parts/format.ts";
import { StateWord } from "../parts/state-word.tsx";
import { goTo, hashOf } from "../route.ts";
import { useLoaded } from "../use-loaded.ts";
import { Changes } from "./changes.tsx";
import { useWholeBody } from "./use-whole-body.ts";

/**
 * An entry beside the one that it was sent again from: what became of both, and how their bodies
 * differ.
 */
export function Comparison({ entry, from }: { entry: EntryDetail; from: number }) {
  const { value: before, failure } = useLoaded(() => client.entry(from), [from]);
  return (
    <section class="comparison" aria-labelledby="comparison-title">
      <div class="section-head">
        <h2 id="comparison-title">Sent again from #{from}</h2>
        <Button
          label="×"
          class="plain"
          aria-label="Close the comparison"
          onClick={() => goTo(`/entry/${entry.seq}`)}
        />
      </div>
      {failure !== undefined && <p class="quiet">{failure}</p>}
      {before?.seq === from && <Both before={before} after={entry} />}
    </section>
  );
}

function Both({ before, after }: { before: EntryDetail; after: EntryDetail }) {
  const old = useWholeBody(before);
  const fresh = useWholeBody(after);
  return (
    <>
      <div class="sides">
        <Side title="Before" entry={before} />
        <Side title="Now" entry={after} />
      </div>
      {before.bodyHash === after.bodyHash ? (
        <p class="quiet">The bodies are identical.</p>
      ) : old?.form === "text" && fresh?.form === "text" && !old.isLoading && !fresh.isLoading ? (
        <Changes before={old.text} after={fresh.text} />
      ) : (
        <p class="quiet">The bodies differ; they cannot be compared as text.</p>
      )}
    </>
  );
}

function Side({ title, entry }: { title: string; entry: EntryDetail }) {
  const { seq, attempts, runs, explanation } = entry;
  const last = runs.at(-1);
  return (
    <div class="side-of-two">
      <h3>
        {title} <a href={hashOf(`/entry/${seq}`)}>#{seq}</a>
      </h3>
      <p>
        <StateWord row={entry} />{" "}
        <span class="quiet">
          {attempts === 0 ? "no attempt" : counted(attempts, "attempt")}
          {last !== undefined && `, ${durationText(last.duration)}`}
        </span>
      </p>
      <p class="quiet">{visible(last?.error ?? explanation.summary)}</p>
    </div>
  );
}
