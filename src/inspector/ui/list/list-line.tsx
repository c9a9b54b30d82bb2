import { durationText } from "../../../base/text/duration-text.ts";
import type { EntryRow, RefusalRow, Row } from "../../api.ts";
import { visible } from "../parts/format.ts";
import { StateWord } from "../parts/state-word.tsx";
import { RelativeTime } from "../parts/time.tsx";

interface ListLineProps {
  row: Row;
  position: number;
  count: number;
  y: number;
  isSelected: boolean;
  href: string;
  onSelect: (row: Row) => void;
}

export function ListLine({ row, position, count, y, isSelected, href, onSelect }: ListLineProps) {
  return (
    // A link, so that a middle click, Ctrl and the context menu open it in a new tab.
    <a
      href={href}
      tabIndex={-1}
      id={`line-${row.id}`}
      class="line"
      role="option"
      aria-selected={isSelected}
      aria-setsize={count}
      aria-posinset={position + 1}
      style={{ transform: `translateY(${y}px)` }}
      onFocus={() => document.getElementById("list")?.focus({ preventScroll: true })}
      onClick={({ ctrlKey, metaKey, shiftKey }) => {
        if (!ctrlKey && !metaKey && !shiftKey) onSelect(row);
      }}
    >
      {row.type === "entry" ? <EntryCells row={row} /> : <RefusalCells row={row} />}
      <RelativeTime class="line-time" at={row.receivedAt} />
    </a>
  );
}

function EntryCells({ row }: { row: EntryRow }) {
  return (
    <>
      <span class="line-what">
        <bdi class="line-name">{visible(row.kind ?? "not an event")}</bdi>
        {row.resource !== null && <bdi class="line-resource">{visible(row.resource)}</bdi>}
      </span>
      <span class="line-id">#{row.seq}</span>
      <span class="line-notes">
        <StateWord row={row} />
        {row.why !== null && (
          <span class="line-why" title={visible(row.why)}>
            {visible(row.why)}
          </span>
        )}
        {row.duration !== null && <span class="line-duration">{durationText(row.duration)}</span>}
        <RepeatCounts {...row} />
      </span>
    </>
  );
}

/** Refused deliveries differ mainly in the reason, so the reason takes both lines. */
function RefusalCells({ row }: { row: RefusalRow }) {
  return (
    <>
      <span class="line-refusal">
        <StateWord row={row} />
        <bdi class="line-name">{visible(row.why)}</bdi>{" "}
        <span class="quiet">{visible(`${row.method} ${row.target}`)}</span>
      </span>
      <span class="line-id">
        {row.count > 1 && <span class="line-times">× {row.count} · </span>}
        {row.status}
      </span>
    </>
  );
}

function RepeatCounts({ attempts, duplicates }: { attempts: number; duplicates: number }) {
  return (
    <>
      {attempts > 1 && (
        <span class="line-times" title={`${attempts} attempts`}>
          ↻{attempts}
          <span class="spoken"> attempts</span>
        </span>
      )}
      {duplicates > 0 && (
        <span class="line-times" title={`received ${duplicates + 1} times`}>
          ={duplicates + 1}
          <span class="spoken"> times received</span>
        </span>
      )}
    </>
  );
}
