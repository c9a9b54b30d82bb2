import { sizeText } from "../../../base/text/size-text.ts";
import type { EntryDetail, EntryRow, RefusalDetail, Related } from "../../api.ts";
import type { JsonLines } from "../../json/json-lines.ts";
import { client } from "../client.ts";
import { readParts } from "../json/json-problem.ts";
import { JsonView, type WantedField } from "../json/json-view.tsx";
import { Fold } from "../parts/fold.tsx";
import { counted, visible } from "../parts/format.ts";
import { PairList } from "../parts/pair-list.tsx";
import { TextView } from "../parts/text-view.tsx";
import { LocalTime } from "../parts/time.tsx";
import { hashOf } from "../route.ts";
import { useLoaded } from "../use-loaded.ts";
import { Changes } from "./changes.tsx";
import { type LoadedBody, useWholeBody } from "./use-whole-body.ts";

interface PayloadProps {
  entry: EntryDetail;
  related: Related | undefined;
  wanted: WantedField | undefined;
}

/**
 * An entry's body, and beneath it, folded: headers, the raw text, and the changes since the
 * previous event.
 */
export function Payload({ entry, related, wanted }: PayloadProps) {
  const at = related?.rows.findIndex(({ seq }) => seq === entry.seq) ?? -1;
  const previous = related?.rows[at - 1];
  const body = useWholeBody(entry);
  const { delivery } = entry;
  if (body === undefined || delivery === null) {
    return (
      <section class="payload" aria-labelledby="body-title">
        <h2 id="body-title">Payload</h2>
        <p class="quiet">It was deleted to save space; its SHA-256 is {entry.bodyHash}.</p>
      </section>
    );
  }
  return (
    <div class="payload">
      <section aria-labelledby="body-title">
        <div class="section-head">
          <h2 id="body-title">Payload</h2>
          <span class="quiet">
            {sizeText(body.bytes)}
            {body.isLoading ? ", loading the rest" : body.cut && ", truncated"}
          </span>
        </div>
        <BodyText body={body} problems={entry.problems} wanted={wanted} />
      </section>
      <div>
        {previous !== undefined && (
          <Fold title={`Changes since #${previous.seq}`} note="of the same resource">
            {() => <ChangesSince key={previous.seq} row={previous} after={body.text} />}
          </Fold>
        )}
        <Fold title="Headers" note={counted(Object.keys(delivery.headers).length, "header")}>
          {() => <Headers {...delivery} sender={entry.sender} />}
        </Fold>
        <Fold title="Raw" note="as it was received">
          {() => <TextView text={body.text} />}
        </Fold>
      </div>
    </div>
  );
}

function ChangesSince({ row, after }: { row: EntryRow; after: string }) {
  const { value, failure } = useLoaded(() => client.entry(row.seq), [row.seq]);
  const before = value?.delivery?.body.text;
  return (
    <>
      <p class="previous">
        <a href={hashOf(`/entry/${row.seq}`)}>
          #{row.seq} {visible(row.kind ?? "")}
        </a>{" "}
        <span class="quiet">
          <LocalTime at={row.receivedAt} />
        </span>
      </p>
      {before === undefined ? (
        <p class="quiet">{failure}</p>
      ) : (
        <Changes before={before} after={after} />
      )}
    </>
  );
}

interface BodyTextProps {
  body: LoadedBody;
  problems?: EntryDetail["problems"];
  wanted?: WantedField | undefined;
}

/** JSON as a tree, and everything else, also a text that is cut, as it was received. */
export function BodyText({ body, problems = [], wanted }: BodyTextProps) {
  const isWanted = body.form === "text" && !body.cut;
  const lines = useJsonLines(body.text, isWanted);
  if (isWanted && lines === undefined)
    return <p class="notice quiet">Reading {sizeText(body.bytes)}</p>;
  if (isWanted && lines != null)
    return <JsonView lines={lines} problems={problems} wanted={wanted} />;
  return <TextView text={body.text} />;
}

type HeadersProps = Pick<RefusalDetail, "method" | "target" | "headers"> & {
  sender?: string | null;
};

export function Headers({ method, target, headers, sender = null }: HeadersProps) {
  const forwardedFor = headers["x-forwarded-for"];
  return (
    <>
      <p class="request">
        <code>
          {visible(method)} {visible(target)}
        </code>
      </p>
      {sender !== null && (
        <p>
          Sent from <code>{visible(sender)}</code>
          {forwardedFor !== undefined && (
            <>
              {" "}
              for <code>{visible(String(forwardedFor))}</code>, as X-Forwarded-For says, which
              anyone can write
            </>
          )}
        </p>
      )}
      <PairList pairs={Object.entries(headers)} />
    </>
  );
}

/** The lines of a JSON text. `undefined` while they are read, `null` if it is not JSON. */
export function useJsonLines(text: string, isWanted: boolean): JsonLines | null | undefined {
  const { value } = useLoaded(
    async () => (isWanted ? readParts(text) : undefined),
    [text, isWanted],
  );
  if (value?.text !== text) return undefined;
  return value.isJson ? value.reader.lines : null;
}
