import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { Feed, type FeedCounts } from "./feed.ts";

/**
 * The list for a filter, kept up to date unless it is paused. The page is rendered at most once per
 * frame, and not at all in a hidden tab, where `counts` are told all the same.
 */
export function useFeed(filter: string, isPaused: boolean, counts: FeedCounts) {
  const [, redraw] = useState(0);
  const feed = useRef<Feed | undefined>(undefined);
  const paused = useRef(isPaused);
  paused.current = isPaused;
  useEffect(() => {
    let frame: number | undefined;
    const onChange = () => {
      frame ??= requestAnimationFrame(() => {
        frame = undefined;
        redraw((count) => count + 1);
      });
    };
    const opened = new Feed(filter, onChange, counts);
    opened.pause(paused.current);
    feed.current = opened;
    redraw((count) => count + 1);
    return () => {
      opened.close();
      if (frame !== undefined) cancelAnimationFrame(frame);
    };
  }, [filter]);
  // At once, since an effect would be late for what arrives before the next frame.
  useLayoutEffect(() => feed.current?.pause(isPaused), [isPaused]);
  return feed.current;
}
