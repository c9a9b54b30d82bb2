import type { Feed } from "./feed.ts";

/** How far a search has come, and a button if it asks whether to go on. */
export function SearchProgress({ feed, total }: { feed: Feed; total: number | undefined }) {
  const { search } = feed;
  if (search === undefined) return null;
  const searched = Math.min(search.searched, total ?? search.searched).toLocaleString("en");
  return (
    <p class="search-progress quiet" role="status">
      {`Searched ${searched}${total === undefined ? "" : ` of ${total.toLocaleString("en")}`} entries`}
      {search.isPaused && (
        <button type="button" onClick={() => feed.searchOn()}>
          Search on
        </button>
      )}
    </p>
  );
}
