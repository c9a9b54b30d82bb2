import { useEffect, useRef, useState } from "preact/hooks";
import type { RowCounts } from "../../api.ts";
import { useClient } from "../client.ts";
import { apiFilter } from "./api-filter.ts";
import type { Feed } from "./feed.ts";

/** Milliseconds between two counts while deliveries arrive, and while none do: another process may change entries. */
const WHILE_LIVE = 500;
const WHILE_QUIET = 15_000;

/** How many rows match the filter in each state, kept up to date; `undefined` before the first count. */
export function useCounts(filter: URLSearchParams, feed: Feed | undefined) {
  const client = useClient();
  const [counts, setCounts] = useState<RowCounts>();
  const others = new URLSearchParams(filter);
  others.delete("state"); // each chip counts its own
  const key = others.toString();
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  const last = useRef({ key: "", at: 0 });
  const isLive = feed?.state === "live";
  useEffect(() => {
    if (!isLive) return;
    const count = async () => {
      last.current = { key, at: Date.now() };
      timer.current = setTimeout(() => void count(), WHILE_QUIET);
      const found = await client.counts(apiFilter(key)).catch(() => undefined); // the feed reports what is wrong
      if (last.current.key === key && found !== undefined) setCounts(found);
    };
    clearTimeout(timer.current);
    const wait = last.current.key === key ? last.current.at + WHILE_LIVE - Date.now() : 0;
    timer.current = setTimeout(() => void count(), Math.max(0, wait));
    return () => clearTimeout(timer.current);
  }, [key, isLive, feed?.version]);
  return counts;
}
