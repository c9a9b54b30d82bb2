import { durationText } from "../../../text/duration-text.ts";
import type { Row } from "../../api.ts";
import { StateWord } from "../parts/state-word.tsx";
import { RelativeTime } from "../parts/time.tsx";
import { visible } from "../parts/visible.ts";

/** A delivery in the list: its kind, resource and number, then its state, why, its duration and time. */
export function ListLine({
  row,
  position,
  count,
  y,
  isSelected,
  href,
  onSelect,
}: {
  row: Row;
  position: number;
  count: number;
  /** Its distance from the top of the list. */
  y: number;
  isSelected: boolean;
  href: string;
  onSelect: (row: Row) => void;
}) {
  // What tells refused deliveries apart is why.
  const name = row.type === "entry" ? (row.kind ?? "not an event") : row.why;
  const why = row.type === "entry" ? row.why : `${row.method} ${row.target}`;
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
      <span class="line-what">
        <bdi class="line-name">{visible(name)}</bdi>
        {row.type === "entry" && row.resource !== null && (
          <bdi class="line-resource">{visible(row.resource)}</bdi>
        )}
      </span>
      <span class="line-id">{row.type === "entry" ? `#${row.seq}` : row.status}</span>
      <span class="line-notes">
        <StateWord row={row} />
        {why !== null && (
          <span class="line-why" title={visible(why)}>
            {visible(why)}
          </span>
        )}
        {row.duration !== null && <span class="line-duration">{durationText(row.duration)}</span>}
        {row.type === "entry" && <Times {...row} />}
        {row.type === "refusal" && row.count > 1 && <span class="line-times">× {row.count}</span>}
      </span>
      <RelativeTime class="line-time" at={row.receivedAt} />
    </a>
  );
}

/** How often it ran, and was received, if more than once. */
function Times({ attempts, duplicates }: { attempts: number; duplicates: number }) {
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
