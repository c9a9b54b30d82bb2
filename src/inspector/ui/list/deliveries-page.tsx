import { useEffect, useRef, useState } from "preact/hooks";
import type { Row, RowCounts, Status } from "../../api.ts";
import { BulkButton } from "../bulk/bulk-dialog.tsx";
import { client } from "../client.ts";
import {
  NoDeliveriesYet,
  NoDeliverySelected,
  NoMatchingDeliveries,
  WrongFilter,
} from "../empty-states.tsx";
import { EntryPage } from "../entry/entry-page.tsx";
import { RefusalPage } from "../entry/refusal-page.tsx";
import { showMessage, useAttempt } from "../messages.tsx";
import { DriftNotice } from "../overview/drift-notice.tsx";
import type { Drifts } from "../overview/use-drifts.ts";
import type { PageFilter } from "../page-filter.ts";
import { Button } from "../parts/button.tsx";
import { apiFilter, goTo, placeOf, type Route, readRoute, toHash } from "../route.ts";
import { sendAgain } from "../trigger/show-sent.ts";
import { useKeys } from "../use-keys.ts";
import { DeliveryList } from "./delivery-list.tsx";
import type { Feed } from "./feed.ts";
import { FilterBar, isNarrowed } from "./filter-bar.tsx";
import { feedFilter, useListView } from "./list-view.ts";

interface DeliveriesPageProps {
  route: Route;
  feed: Feed | undefined;
  status: Status | undefined;
  kinds: readonly string[];
  drifts: Drifts;
}

export function DeliveriesPage({ route, feed, status, kinds, drifts }: DeliveriesPageProps) {
  const { opened, from } = placeOf(route.path) ?? {};
  const { density, resource } = useListView();
  const counts = useCounts(route.filter, feed);
  const { selected, setSelected, move } = useSelection(feed, opened);
  const again = useAgain();
  const openFirst = useOpenFirst(feed, feedFilter(route.filter, resource));
  useKeys({
    j: () => move(1),
    k: () => move(-1),
    ArrowDown: () => move(1),
    ArrowUp: () => move(-1),
    Enter: () => selected !== undefined && goTo(pathOf(selected)),
    r: () => again(selected === undefined ? undefined : feed?.lines.find(selected)),
    "/": () => document.getElementById("text-filter")?.focus(),
    Escape: () => {
      goTo("/");
      document.getElementById("list")?.focus();
    },
  });

  const narrowed = isNarrowed(route.filter);
  const empty = feed?.isEmpty === true;
  if (empty && !narrowed && opened === undefined) return <NoDeliveriesYet status={status} />;
  return (
    <main class={`deliveries ${opened === undefined ? "" : "opened"}`}>
      <div class="side">
        <h1 class="spoken">Deliveries</h1>
        <DriftNotice drifts={drifts.fresh} dismiss={drifts.dismiss} />
        <FilterBar
          filter={route.filter}
          kinds={kinds}
          counts={counts}
          onLeave={(opens) => {
            document.getElementById("list")?.focus();
            if (opens) openFirst();
            else move(1);
          }}
        />
        <BulkButton
          label="Retry or drop these…"
          filter={route.filter}
          isOffered={feed?.failure === null && hasOpen(feed)}
          hasKey={opened === undefined}
        />
        {feed?.failure != null && <WrongFilter failure={feed.failure} />}
        {empty && narrowed && <NoMatchingDeliveries />}
        {feed !== undefined && feed.failure === null && !empty && (
          <DeliveryList
            {...{ feed, selected, density }}
            hrefOf={({ id }) => toHash({ path: pathOf(id), filter: route.filter })}
            onSelect={({ id }) => setSelected(id)}
            onMove={move}
          />
        )}
        {feed !== undefined && <SearchProgress feed={feed} total={counts?.total} />}
      </div>
      <div class="main-pane">
        {opened === undefined && <NoDeliverySelected status={status} />}
        {opened?.startsWith("e") && (
          <EntryPage
            seq={Number(opened.slice(1))}
            from={from}
            changes={feed?.changesOf(opened)}
            status={status}
          />
        )}
        {opened?.startsWith("r") && <RefusalPage id={opened} changes={feed?.changesOf(opened)} />}
      </div>
    </main>
  );
}

/** Which row is selected: the opened one, or the one that the keys moved to. */
function useSelection(feed: Feed | undefined, opened: string | undefined) {
  const [selected, setSelected] = useState(opened);
  useEffect(() => {
    if (opened && placeOf(readRoute(location.hash).path)?.opened === opened) setSelected(opened);
  }, [opened]); // not an address that the keys have left since
  const latest = useRef(selected);
  latest.current = selected;
  const move = (by: number) => {
    const at = latest.current === undefined ? -1 : (feed?.lines.positionOf(latest.current) ?? -1);
    const row = feed?.lines.at(Math.min(Math.max(0, at + by), feed.lines.count - 1))?.row;
    if (row === undefined) return;
    latest.current = row.id; // the next key may come before the page is drawn again
    setSelected(row.id);
    const isBeside = matchMedia("(min-width: 821px)").matches; // as in the style sheet
    // Not a step of the history for each key, so that Back leads out of the list.
    if (opened !== undefined || isBeside) goTo(pathOf(row.id), { isPassing: opened !== undefined });
  };
  return { selected, setSelected, move };
}

/**
 * Opens the first row, once the list for the filter is loaded: the filter may have been typed just
 * before.
 */
function useOpenFirst(feed: Feed | undefined, filter: string) {
  const [isWanted, setWanted] = useState(false);
  const isCurrent = feed !== undefined && feed.filter === filter;
  const isLoaded = isCurrent && (feed.lines.isLoaded || feed.failure !== null);
  useEffect(() => {
    if (!isWanted || !isLoaded) return;
    setWanted(false);
    const first = feed.lines.at(0)?.row;
    if (first !== undefined) goTo(pathOf(first.id));
  }, [isWanted, isLoaded]);
  return () => setWanted(true);
}

/**
 * Retries a row's entry, or sends it again if it was handled, when called a second time while the
 * page still asks for that.
 */
function useAgain() {
  const attempt = useAttempt();
  const asked = useRef({ what: "", isShown: (): boolean => false });
  const retry = async (seq: number) => {
    await client.retry(seq);
    return { good: true, text: `#${seq} runs again.` };
  };
  return (row: Row | undefined) => {
    if (row?.type !== "entry") return;
    const { seq, state } = row;
    if (state === "running") return void showMessage({ good: true, text: `#${seq} is running.` });
    const isRetry = state !== "handled";
    const what = isRetry ? `retry #${seq}` : `send #${seq} again as a new event`;
    const isSecond = asked.current.what === what && asked.current.isShown();
    if (isSecond) void attempt(() => (isRetry ? retry(seq) : sendAgain(seq)));
    else
      asked.current = {
        what,
        isShown: showMessage({ good: true, text: `Press r again to ${what}.` }),
      };
  };
}

const LOOKED_AT = 200; // how many rows are looked at for one that can be retried or dropped

/** Whether one of the newest rows is an entry that is not handled. */
function hasOpen({ lines }: Feed): boolean {
  return Array.from(
    { length: Math.min(LOOKED_AT, lines.count) },
    (_, at) => lines.at(at)?.row,
  ).some((row) => row?.type === "entry" && row.state !== "handled" && row.reason !== "dropped");
}

function pathOf(id: string): string {
  return id.startsWith("e") ? `/entry/${id.slice(1)}` : `/refusal/${id}`;
}

function SearchProgress({ feed, total }: { feed: Feed; total: number | undefined }) {
  const { search } = feed;
  if (search === undefined) return null;
  const searched = Math.min(search.searched, total ?? search.searched).toLocaleString("en");
  return (
    <p class="search-progress quiet" role="status">
      {`Searched ${searched}${total === undefined ? "" : ` of ${total.toLocaleString("en")}`} entries`}
      {search.isPaused && <Button label="Search on" onClick={() => feed.searchOn()} />}
    </p>
  );
}

/**
 * Milliseconds between two counts while deliveries arrive, and while none do: another process may
 * change entries.
 */
const WHILE_LIVE = 500;
const WHILE_QUIET = 15_000;

/**
 * How many rows match the filter in each state, kept up to date; `undefined` before the first
 * count.
 */
function useCounts(filter: PageFilter, feed: Feed | undefined) {
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
      // the feed reports what is wrong
      const found = await client.counts(apiFilter(key)).catch(() => undefined);
      if (last.current.key === key && found !== undefined) setCounts(found);
    };
    clearTimeout(timer.current);
    const wait = last.current.key === key ? last.current.at + WHILE_LIVE - Date.now() : 0;
    timer.current = setTimeout(() => void count(), Math.max(0, wait));
    return () => clearTimeout(timer.current);
  }, [key, isLive, feed?.version]);
  return counts;
}
