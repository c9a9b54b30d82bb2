import { useState } from "preact/hooks";
import { KeysDialog } from "./keys-dialog.tsx";
import type { Feed, FeedState } from "./list/feed.ts";
import { Button } from "./parts/button.tsx";
import { ZoneNote } from "./parts/time.tsx";
import { goTo, PAGES, placeOf, type Route, toHash } from "./route.ts";
import { useKeys } from "./use-keys.ts";

const STATES: Readonly<Record<FeedState, string>> = {
  loading: "reading",
  live: "live",
  offline: "listen does not respond; retrying",
  unknown: "waiting for listen",
  unauthorized: "",
  invalid: "no deliveries: the filter is wrong",
};

const MOST_SHOWN = 999;

interface TopBarProps {
  route: Route;
  feed: Feed | undefined;
  isPaused: boolean;
  setPaused: (isPaused: boolean) => void;
}

export function TopBar({ route, feed, isPaused, setPaused }: TopBarProps) {
  const [showsKeys, setShowsKeys] = useState(false);
  const state = feed?.state ?? "loading";
  const toggle = () => setPaused(!isPaused);
  useKeys({ "?": () => setShowsKeys(true), p: toggle, e: () => goTo("/overview") });
  return (
    <header class="top">
      <a class="skip" href={toHash(route)} onClick={() => document.getElementById("list")?.focus()}>
        Skip to the deliveries
      </a>
      <span class="wordmark">hookporter</span>
      <nav aria-label="Pages">
        {Object.entries(PAGES).map(([path, label]) => (
          <a
            key={path}
            href={toHash({ path, filter: route.filter })}
            aria-current={placeOf(route.path)?.page === path ? "page" : undefined}
          >
            {label}
          </a>
        ))}
      </nav>
      <ZoneNote />
      <div class="top-end">
        <span class={`feed-state ${isPaused && state === "live" ? "paused" : state}`} role="status">
          <span class="feed-word">{isPaused && state === "live" ? "paused" : STATES[state]}</span>
        </span>
        <PauseButton isPaused={isPaused} held={feed?.held ?? 0} onClick={toggle} />
        <Button
          label="?"
          class="top-button"
          aria-label="Keys"
          title="Keys (?)"
          onClick={() => setShowsKeys(true)}
        />
      </div>
      {showsKeys && <KeysDialog onClose={() => setShowsKeys(false)} />}
    </header>
  );
}

/** Pauses the list, says how many rows are held back, and shows them again. */
function PauseButton({
  isPaused,
  held,
  onClick,
}: {
  isPaused: boolean;
  held: number;
  onClick: () => void;
}) {
  const reported = isPaused && held > 0 ? `${held.toLocaleString("en")} new` : "";
  const name = isPaused ? `Resume${reported === "" ? "" : `, ${reported}`}` : "Pause";
  return (
    <button
      type="button"
      class="top-button"
      aria-label={name}
      title={`${name} (p)`}
      onClick={onClick}
    >
      <svg viewBox="0 0 12 12" width="12" height="12" aria-hidden="true">
        {isPaused ? (
          <path d="M2.5 1 L10.5 6 L2.5 11 Z" />
        ) : (
          <path d="M2 1 H4.8 V11 H2 Z M7.2 1 H10 V11 H7.2 Z" />
        )}
      </svg>
      {reported !== "" && (
        <span>
          {held > MOST_SHOWN ? `${MOST_SHOWN}+` : held}
          <span class="wide"> new</span>
        </span>
      )}
    </button>
  );
}
