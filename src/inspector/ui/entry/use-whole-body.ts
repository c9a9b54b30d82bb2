import type { EntryDetail, ShownBody } from "../../api.ts";
import { client } from "../client.ts";
import { useLoaded } from "../use-loaded.ts";

/**
 * The largest body in bytes that the page loads whole; the rest of a larger one can be downloaded.
 */
export const MAX_WHOLE = 4 * 1024 * 1024;

/** A body with as much of its text as the page can show. */
export interface LoadedBody extends ShownBody {
  readonly isLoading: boolean;
}

/** The whole body of an entry: its details contain only the beginning of a large one. */
export function useWholeBody(entry: EntryDetail): LoadedBody | undefined {
  const given = entry.delivery?.body;
  const isWanted = given?.form === "text" && given.cut && given.bytes <= MAX_WHOLE;
  const { value: whole } = useLoaded(async () => {
    const text = isWanted ? await client.body(entry.seq).catch(() => null) : null;
    return { hash: entry.bodyHash, text };
  }, [entry.seq, entry.bodyHash, isWanted]);
  if (given === undefined || !isWanted) return given && { ...given, isLoading: false };
  if (whole?.hash !== entry.bodyHash) return { ...given, isLoading: true };
  if (whole.text === null) return { ...given, isLoading: false };
  return { ...given, text: whole.text, cut: false, isLoading: false };
}
