import { useEffect, useRef, useState } from "preact/hooks";
import { apiFilter } from "./api-filter.ts";
import type { ApiClient } from "./client.ts";
import { Feed } from "./feed.ts";

/** The list for a filter, kept up to date. The page is rendered at most once per frame. */
export function useFeed(client: ApiClient, query: string): Feed | undefined {
  const [, redraw] = useState(0);
  const feed = useRef<Feed | undefined>(undefined);
  useEffect(() => {
    let frame: number | undefined;
    const opened = new Feed(client, apiFilter(query), () => {
      frame ??= requestAnimationFrame(() => {
        frame = undefined;
        redraw((count) => count + 1);
      });
    });
    feed.current = opened;
    redraw((count) => count + 1);
    return () => {
      opened.close();
      if (frame !== undefined) cancelAnimationFrame(frame);
    };
  }, [client, query]);
  return feed.current;
}
