/** Height of a body's line in pixels, as in the style sheet. */
export const LINE_HEIGHT = 20;
/**
 * The tallest element in pixels; browsers have limits from 17 million on. Taller lists scroll more
 * per pixel.
 */
const MAX_SPACE = 15_000_000;
const BEYOND = 10; // the number of lines rendered beyond the visible ones

export interface Viewport {
  readonly count: number;
  /** Its `scrollTop` and `clientHeight`. */
  readonly top: number;
  readonly height: number;
  readonly lineHeight?: number;
}

/** The lines to render, the height of all, and where in it each one is. */
export function lineWindow(view: Viewport) {
  const { count, top, height, lineHeight = LINE_HEIGHT } = view;
  const origin = top * scaleOf(view);
  const first = Math.max(0, Math.min(count, Math.floor(origin / lineHeight) - BEYOND));
  const end = Math.min(count, Math.ceil((origin + height) / lineHeight) + BEYOND);
  return {
    shown: Array.from({ length: Math.max(0, end - first) }, (_, index) => first + index),
    space: Math.min(count * lineHeight, MAX_SPACE),
    y: (line: number) => line * lineHeight - origin + top,
  };
}

/** The `scrollTop` that shows a line, moved as little as possible. */
export function topFor(line: number, view: Viewport): number {
  const { lineHeight = LINE_HEIGHT } = view;
  const scale = scaleOf(view);
  const origin = view.top * scale;
  const start = line * lineHeight;
  if (start < origin) return start / scale;
  return Math.max(origin, start + lineHeight - view.height) / scale;
}

/**
 * The `scrollTop` that shows the same lines after some were added at the top; `view` has the new
 * count.
 */
export function topAfterAdding(added: number, view: Viewport): number {
  const { lineHeight = LINE_HEIGHT } = view;
  const before = view.top * scaleOf({ ...view, count: view.count - added });
  return (before + added * lineHeight) / scaleOf(view);
}

/** Pixels of lines per pixel of the scroll bar. */
function scaleOf({ count, height, lineHeight = LINE_HEIGHT }: Viewport): number {
  const total = count * lineHeight;
  return total <= MAX_SPACE ? 1 : (total - height) / (MAX_SPACE - height);
}
