import type { ComponentChildren } from "preact";
import { useMemo } from "preact/hooks";
import { lineWindow } from "./line-window.ts";
import { useScrolledBox } from "./use-scrolled-box.ts";

/** Pixels of a character, rounded up, and those beside a line. */
const CHARACTER = 8;
const PADDING = 28;
const MIN_COLUMNS = 20;

interface LinesBoxProps {
  label: string;
  className: string;
  lines: (columns: number) => { count: number; render: (index: number) => ComponentChildren };
}

/**
 * Lines in a box that scrolls. Only the visible ones are elements. `lines` is called with the
 * columns that fit.
 */
export function LinesBox({ label, className, lines }: LinesBoxProps) {
  const { box, view, onScroll } = useScrolledBox();
  const columns = Math.max(MIN_COLUMNS, Math.floor((view.width - PADDING) / CHARACTER));
  const { count, render } = useMemo(() => lines(columns), [lines, columns]);
  const { shown, space, y } = lineWindow({ count, ...view });
  return (
    // biome-ignore lint/a11y/useSemanticElements: a section inside a section would be a landmark too many
    <div
      ref={box}
      class={`body ${className}`}
      role="group"
      aria-label={label}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, so it must be focusable
      tabIndex={0}
      onScroll={onScroll}
    >
      <div class="body-space" style={{ height: `${space}px` }}>
        {shown.map((index) => (
          <div key={index} class="body-line" style={{ transform: `translateY(${y(index)}px)` }}>
            {render(index)}
          </div>
        ))}
      </div>
    </div>
  );
}
