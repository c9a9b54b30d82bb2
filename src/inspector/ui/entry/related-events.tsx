import type { EntryRow, Related } from "../../api.ts";
import { counted, visible } from "../parts/format.ts";
import { StateWord } from "../parts/state-word.tsx";
import { LocalTime } from "../parts/time.tsx";
import { hashOf } from "../route.ts";

const SHOWN = 7; // the numbers shown while the timeline is folded, nearest to the event

export function RelatedEvents({ seq, related }: { seq: number; related: Related | undefined }) {
  const { rows = [], resource } = related ?? {};
  if (rows.length < 2 || !rows.some((row) => row.seq === seq)) return null;
  const at = rows.findIndex((row) => row.seq === seq);
  const from = Math.max(0, Math.min(at - Math.floor(SHOWN / 2), rows.length - SHOWN));
  const numbers = rows.slice(from, from + SHOWN).map((row) => `#${row.seq}`);
  return (
    <details class="related">
      <summary>
        <h2>Same resource</h2>
        <span class="quiet">
          {from > 0 && "… "}
          {numbers.join(" ")}
          {from + SHOWN < rows.length && " …"}
        </span>
      </summary>
      <p class="quiet">
        {counted(rows.length, "event")} of <bdi>{visible(resource ?? "")}</bdi>
      </p>
      <ol class="related-list">
        {rows.map((row) => (
          <RelatedEvent key={row.id} row={row} isThis={row.seq === seq} />
        ))}
      </ol>
    </details>
  );
}

function RelatedEvent({ row, isThis }: { row: EntryRow; isThis: boolean }) {
  const name = `#${row.seq} ${visible(row.kind ?? "")}`;
  return (
    <li class={`related-event ${isThis ? "this" : ""}`}>
      <LocalTime at={row.receivedAt} class="quiet" />
      {isThis ? (
        <strong aria-current="true">{name}</strong>
      ) : (
        <a href={hashOf(`/entry/${row.seq}`)}>{name}</a>
      )}
      <StateWord row={row} />
      {row.why !== null && <span class="related-why">{visible(row.why)}</span>}
    </li>
  );
}
