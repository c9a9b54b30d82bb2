import { useEffect, useLayoutEffect, useState } from "preact/hooks";
import type { Row } from "../../api.ts";
import { Button } from "../parts/button.tsx";
import { lineWindow, topAfterAdding } from "../parts/line-window.ts";
import { useScrolledBox } from "../parts/use-scrolled-box.ts";
import type { Feed } from "./feed.ts";
import { ListLine } from "./list-line.tsx";
import type { Density } from "./list-view.ts";

/** Height of a row in pixels, as in the style sheet. */
const LINE_HEIGHTS: Readonly<Record<Density, number>> = { comfortable: 56, compact: 28 };
const NEAR_END = 200; // the distance in rows from the end at which more are loaded

interface DeliveryListProps {
  feed: Feed;
  selected: string | undefined;
  hrefOf: (row: Row) => string;
  onSelect: (row: Row) => void;
  onMove: (by: number) => void;
  density: Density;
}

/**
 * The deliveries, newest first. Renders only visible rows, so that 100 000 of them scroll as
 * smoothly as ten.
 */
export function DeliveryList({
  feed,
  selected,
  hrefOf,
  onSelect,
  onMove,
  density,
}: DeliveryListProps) {
  const lineHeight = LINE_HEIGHTS[density];
  const { box, view, onScroll, unseen, setUnseen, at, rows } = useScrolling(
    feed,
    selected,
    lineHeight,
  );
  const { lines } = feed;
  const { count } = lines;
  const { shown, space, y } = rows;
  const page = Math.max(1, Math.floor(view.height / lineHeight) - 1);
  const moves: Readonly<Record<string, number>> = {
    PageDown: page,
    PageUp: -page,
    Home: -count,
    End: count,
  };
  return (
    <div class={`list-frame ${density}`}>
      {unseen > 0 && view.top > lineHeight && (
        <Button
          label={`↑ ${unseen.toLocaleString("en")} new`}
          class="unseen"
          onClick={() => {
            box.current?.scrollTo({ top: 0 });
            setUnseen(0);
          }}
        />
      )}
      <div
        ref={box}
        id="list"
        class="list"
        role="listbox"
        tabIndex={0}
        aria-label={`Deliveries, newest first, ${count} loaded`}
        // Only a row that is drawn can be pointed at.
        aria-activedescendant={shown.includes(at) ? `line-${selected}` : undefined}
        onKeyDown={(event) => {
          const by = Object.hasOwn(moves, event.key) ? moves[event.key] : undefined;
          if (by === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
          event.preventDefault();
          onMove(by);
        }}
        onScroll={(event) => {
          onScroll();
          if (event.currentTarget.scrollTop < lineHeight / 2) setUnseen(0);
        }}
      >
        <div class="list-space" role="presentation" style={{ height: `${space}px` }}>
          {shown.map((position) => {
            const row = lines.at(position)?.row;
            if (row === undefined) return null;
            return (
              <ListLine
                key={row.id}
                {...{ row, position, count, onSelect }}
                y={y(position)}
                isSelected={row.id === selected}
                href={hrefOf(row)}
              />
            );
          })}
        </div>
      </div>
    </div>
  );
}

/**
 * What is visible of the list while rows are added at its top, others are selected, and the user
 * scrolls.
 */
function useScrolling(feed: Feed, selected: string | undefined, lineHeight: number) {
  const { box, view, onScroll, scrollTo } = useScrolledBox(lineHeight);
  const [unseen, setUnseen] = useState(0);
  const { count } = feed.lines;

  // New rows at the top must not move what the user is reading.
  useLayoutEffect(() => {
    const added = feed.takeAdded();
    const element = box.current;
    if (element === null || added === 0) return;
    const { scrollTop: top, clientHeight: height } = element;
    if (top < lineHeight / 2) return;
    element.scrollTop = topAfterAdding(added, { count, top, height, lineHeight });
    setUnseen((before) => before + added);
  }, [feed.version]);

  const rows = lineWindow({ count, ...view, lineHeight });
  const last = rows.shown.at(-1) ?? 0;
  useEffect(() => {
    if (last >= count - NEAR_END) void feed.loadMore();
    // a search may find nothing in one part of the past, and continues
  }, [last, feed, feed.version]);

  const at = selected === undefined ? -1 : feed.lines.positionOf(selected);
  // A newly selected row is scrolled into view, but scrolling is not interfered with.
  useLayoutEffect(() => {
    if (at >= 0) scrollTo(at, count);
  }, [selected, lineHeight]);
  return { box, view, onScroll, unseen, setUnseen, at, rows };
}
