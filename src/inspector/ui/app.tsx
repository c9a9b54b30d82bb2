import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import type { ApiClient } from "./client.ts";
import { DeliveriesPage } from "./deliveries-page.tsx";
import type { FeedState } from "./feed.ts";
import { type Message, Messages, type Tell, TellContext } from "./messages.tsx";
import { OverviewPage } from "./overview-page.tsx";
import { toHash, useRoute } from "./route.ts";
import { dropToken } from "./session.ts";
import { ZoneNote } from "./time.tsx";
import { TriggerPage } from "./trigger-page.tsx";
import { useFeed } from "./use-feed.ts";
import { useLoaded } from "./use-loaded.ts";
import { NoToken, UnknownServer } from "./welcome.tsx";

/** Milliseconds for which a message is shown. */
const SHOWN = 8000;
const MAX_MESSAGES = 3;

const STATES: Readonly<Record<FeedState, string>> = {
  loading: "reading",
  live: "live",
  offline: "listen does not respond; retrying",
  unknown: "waiting for listen",
  unauthorized: "",
  invalid: "no deliveries: the filter is wrong",
};

/** The whole page. */
export function App({ client }: { client: ApiClient }) {
  const route = useRoute();
  const feed = useFeed(client, route.filter.toString());
  const state = feed?.state ?? "loading";
  const isConnected = state === "live" || state === "invalid";
  const { value: status } = useLoaded(() => client.status(), [client, isConnected]);
  const { value: samples = [] } = useLoaded(() => client.samples(), [client, isConnected]);
  const { messages, tell, drop } = useMessages();
  const kinds = useMemo(() => samples.map(({ kind }) => kind), [samples]);
  useEffect(() => {
    document.title = `${titleOf(route.path)} · hookporter`;
  }, [route.path]);
  const wasLive = useRef(false);
  if (state === "live") wasLive.current = true;
  if (state === "unauthorized") dropToken();
  if (state === "unauthorized" || (state === "unknown" && !wasLive.current)) return <NoToken />;
  return (
    <TellContext.Provider value={tell}>
      <header class="top">
        <a class="skip" href={toHash(route)} onClick={() => document.getElementById("list")?.focus()}>
          Skip to the deliveries
        </a>
        <span class="wordmark">hookporter</span>
        <nav aria-label="Pages">
          {(
            [
              ["/", "Deliveries"],
              ["/overview", "Overview"],
              ["/trigger", "Trigger"],
            ] as const
          ).map(([path, label]) => (
            <a
              key={path}
              href={toHash({ path, filter: route.filter })}
              aria-current={pageOf(route.path) === path ? "page" : undefined}
            >
              {label}
            </a>
          ))}
        </nav>
        <ZoneNote />
        <span class={`feed-state ${state}`} role="status">
          {STATES[state]}
        </span>
      </header>
      {state === "unknown" && <UnknownServer />}
      {pageOf(route.path) === "/" && (
        <DeliveriesPage route={route} feed={feed} client={client} status={status} kinds={kinds} />
      )}
      {route.path === "/overview" && <OverviewPage client={client} />}
      {route.path === "/trigger" && <TriggerPage client={client} />}
      <Messages messages={messages} drop={drop} />
    </TellContext.Provider>
  );
}

function titleOf(path: string): string {
  const [, number] = /^\/entry\/(\d+)$/.exec(path) ?? [];
  if (number !== undefined) return `#${number}`;
  return { "/overview": "Overview", "/trigger": "Trigger" }[path] ?? "Deliveries";
}

function pageOf(path: string): string {
  return path === "/overview" || path === "/trigger" ? path : "/";
}

function useMessages() {
  const [messages, setMessages] = useState<readonly Message[]>([]);
  const drop = (id: number) => setMessages((before) => before.filter((message) => message.id !== id));
  const [tell] = useState((): Tell => {
    let count = 0;
    return (message) => {
      const id = ++count;
      setMessages((before) => [...before, { ...message, id }].slice(-MAX_MESSAGES));
      setTimeout(() => drop(id), SHOWN);
    };
  });
  return { messages, tell, drop };
}
