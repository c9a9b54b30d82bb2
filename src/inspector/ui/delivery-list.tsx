import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import type { Row } from "../api.ts";
import type { Feed } from "./feed.ts";
import { dayTime } from "./format.ts";
import { StateWord } from "./state-word.tsx";
import { visible } from "./visible.ts";

/** Height of a row in pixels, as in the style sheet. */
const LINE = 56;
/** The number of rows rendered beyond the visible ones, and the distance from the end at which more are loaded. */
const BEYOND = 8;
const NEAR_END = 200;

/** The deliveries, newest first. Renders only visible rows, so that 100 000 of them scroll as smoothly as ten. */
export function DeliveryList({
  feed,
  selected,
  hrefOf,
  onSelect,
}: {
  feed: Feed;
  selected: string | undefined;
  /** The address of a row's page. */
  hrefOf: (row: Row) => string;
  onSelect: (row: Row) => void;
}) {
  const box = useRef<HTMLDivElement>(null);
  const [view, setView] = useState({ top: 0, height: 800 });
  const [unseen, setUnseen] = useState(0);
  const { lines } = feed;

  useEffect(() => {
    const element = box.current;
    if (element === null) return;
    const look = () => setView({ top: element.scrollTop, height: element.clientHeight });
    const observer = new ResizeObserver(look);
    observer.observe(element);
    look();
    return () => observer.disconnect();
  }, []);

  // New rows at the top must not move what the user is reading.
  useLayoutEffect(() => {
    const added = feed.takeAdded();
    const element = box.current;
    if (element === null || added === 0) return;
    if (element.scrollTop < LINE / 2) return;
    element.scrollTop += added * LINE;
    setUnseen((count) => count + added);
  }, [feed.version]);

  const first = Math.max(0, Math.floor(view.top / LINE) - BEYOND);
  const last = Math.min(lines.count, Math.ceil((view.top + view.height) / LINE) + BEYOND);
  useEffect(() => {
    if (last > lines.count - NEAR_END) void feed.loadMore();
  }, [last, feed, feed.version]); // a search may find nothing in one part of the past, and continues

  useScrollTo(box, selected === undefined ? -1 : lines.positionOf(selected), selected);

  const shown = Array.from({ length: Math.max(0, last - first) }, (_, index) => first + index);
  return (
    <div class="list-frame">
      {unseen > 0 && view.top > LINE && (
        <button
          type="button"
          class="unseen"
          onClick={() => {
            box.current?.scrollTo({ top: 0 });
            setUnseen(0);
          }}
        >
          ↑ {unseen.toLocaleString("en")} new
        </button>
      )}
      <div
        ref={box}
        id="list"
        class="list"
        role="listbox"
        tabIndex={0}
        aria-label={`Deliveries, newest first, ${lines.count} loaded`}
        aria-activedescendant={selected === undefined ? undefined : `line-${selected}`}
        onScroll={(event) => {
          const { scrollTop, clientHeight } = event.currentTarget;
          setView({ top: scrollTop, height: clientHeight });
          if (scrollTop < LINE / 2) setUnseen(0);
        }}
      >
        <div class="list-space" role="presentation" style={{ height: `${lines.count * LINE}px` }}>
          {shown.map((position) => {
            const row = lines.at(position)?.row;
            if (row === undefined) return null;
            return (
              <ListLine
                key={row.id}
                row={row}
                position={position}
                count={feed.lines.count}
                selected={row.id === selected}
                href={hrefOf(row)}
                onSelect={onSelect}
              />
            );
          })}
        </div>
      </div>
    </div>
  );
}

function ListLine({
  row,
  position,
  count,
  selected,
  href,
  onSelect,
}: {
  row: Row;
  position: number;
  count: number;
  selected: boolean;
  href: string;
  onSelect: (row: Row) => void;
}) {
  const name = row.type === "entry" ? (row.kind ?? "not an event") : `${row.method} ${row.target}`;
  const notes = notesOf(row);
  return (
    // A link, so that a middle click, Ctrl and the context menu open it in a new tab.
    <a
      href={href}
      tabIndex={-1}
      id={`line-${row.id}`}
      class="line"
      role="option"
      aria-selected={selected}
      aria-setsize={count}
      aria-posinset={position + 1}
      style={{ transform: `translateY(${position * LINE}px)` }}
      onFocus={() => document.getElementById("list")?.focus({ preventScroll: true })}
      onClick={({ ctrlKey, metaKey, shiftKey }) => {
        if (!ctrlKey && !metaKey && !shiftKey) onSelect(row);
      }}
    >
      <span class="line-name">
        <bdi>{visible(name)}</bdi>
      </span>
      <time class="line-time">{dayTime(row.receivedAt)}</time>
      <span class="line-notes">
        <StateWord row={row} />
        {notes.map((note) => (
          <span key={note} class="note">
            {visible(note)}
          </span>
        ))}
      </span>
      <span class="line-id">{row.type === "entry" ? `#${row.seq}` : row.status}</span>
    </a>
  );
}

function notesOf(row: Row): readonly string[] {
  if (row.type === "refusal") return [row.reason];
  const { reason, attempts, duplicates, state } = row;
  return [
    ...(reason === null ? [] : [reason]),
    ...(attempts > 1 || (attempts > 0 && state === "pending") ? [`${attempts} attempts`] : []),
    ...(duplicates > 0 ? [`received ${duplicates + 1} times`] : []),
  ].map((note) => note.replace(/^1 attempts$/, "1 attempt"));
}

/** Scrolls a newly selected row into view, but does not interfere with scrolling. */
function useScrollTo(
  box: { current: HTMLDivElement | null },
  position: number,
  selected: string | undefined,
): void {
  useLayoutEffect(() => {
    const element = box.current;
    if (element === null || position < 0) return;
    const top = position * LINE;
    if (top < element.scrollTop) element.scrollTop = top;
    else if (top + LINE > element.scrollTop + element.clientHeight) {
      element.scrollTop = top + LINE - element.clientHeight;
    }
  }, [selected]);
}
