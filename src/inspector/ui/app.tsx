import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { countsText } from "../../inbox/counts.ts";
import { client, type FailedCounts } from "./client.ts";
import { NoSuchPage, NoToken, UnknownServer } from "./empty-states.tsx";
import { DeliveriesPage } from "./list/deliveries-page.tsx";
import { feedFilter, useListView } from "./list/list-view.ts";
import { useFeed } from "./list/use-feed.ts";
import { MessageBox } from "./messages.tsx";
import { OverviewPage } from "./overview/overview-page.tsx";
import { PausedNotice } from "./overview/paused-notice.tsx";
import { useDrifts } from "./overview/use-drifts.ts";
import { PAGES, type Place, placeOf, useRoute } from "./route.ts";
import { dropToken } from "./session/session.ts";
import { TopBar } from "./top-bar.tsx";
import { TriggerPage } from "./trigger/trigger-page.tsx";
import { useLoaded } from "./use-loaded.ts";

export function App() {
  const route = useRoute();
  const place = placeOf(route.path);
  const [isPaused, setPaused] = useState(false);
  const [{ failing, dead }, setFailed] = useState<FailedCounts>({ failing: 0, dead: 0 });
  const [reportedDrifts, setReportedDrifts] = useState(0);
  const counts = { failed: setFailed, drift: () => setReportedDrifts((count) => count + 1) };
  const feed = useFeed(feedFilter(route.filter, useListView().resource), isPaused, counts);
  const state = feed?.state ?? "loading";
  const isConnected = state === "live" || state === "invalid";
  const { value: status } = useLoaded(() => client.status(), [isConnected]);
  const { value: samples = [] } = useLoaded(() => client.samples(), [isConnected]);
  const drifts = useDrifts(isConnected, reportedDrifts);
  const kinds = useMemo(() => samples.map(({ kind }) => kind), [samples]);
  useEffect(() => {
    const words = countsText({ failing, dead }, (count) => count.toLocaleString("en"));
    document.title = `${words === "" ? "" : `(${words}) `}${titleOf(place)} · hookporter`;
  }, [route.path, failing, dead]);
  const wasLive = useRef(false);
  if (state === "live") wasLive.current = true;
  if (state === "unauthorized") dropToken();
  if (state === "unauthorized" || (state === "unknown" && !wasLive.current)) return <NoToken />;
  return (
    <>
      <TopBar route={route} feed={feed} isPaused={isPaused} setPaused={setPaused} />
      {state === "unknown" && <UnknownServer />}
      {isConnected && <PausedNotice />}
      {place?.page === "/" && <DeliveriesPage {...{ route, feed, status, kinds, drifts }} />}
      {place?.page === "/overview" && <OverviewPage drifts={drifts.all} />}
      {place?.page === "/trigger" && <TriggerPage />}
      {place === undefined && <NoSuchPage path={route.path} />}
      <MessageBox />
    </>
  );
}

function titleOf(place: Place | undefined): string {
  if (place === undefined) return "No such page";
  if (place.opened?.startsWith("e")) return `#${place.opened.slice(1)}`;
  return PAGES[place.page];
}
