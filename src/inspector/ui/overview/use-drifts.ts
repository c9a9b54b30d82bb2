import { useState } from "preact/hooks";
import { tryOr } from "../../../base/try-or.ts";
import type { DriftNote } from "../../api.ts";
import { client } from "../client.ts";
import { useLoaded } from "../use-loaded.ts";

export type Drifts = ReturnType<typeof useDrifts>;

/** Loads the differences whenever the feed tells of more, and after it was lost. */
export function useDrifts(isConnected: boolean, reported: number) {
  const { value: all = [] } = useLoaded(() => client.drifts(), [isConnected, reported]);
  const [dismissed, setDismissed] = useState(readDismissed);
  return {
    all,
    /** Those that this tab has not dismissed. */
    fresh: all.filter((drift) => !dismissed.has(nameOf(drift))),
    dismiss: () => setDismissed(keepDismissed(new Set([...dismissed, ...all.map(nameOf)]))),
  };
}

/** What tells differences apart, whenever they are met. */
export function nameOf({ kind, path, what, expected, got }: DriftNote): string {
  return JSON.stringify([kind, path, what, expected, got]);
}

/** Only for this tab, as the token is: names of fields may be personal. */
const KEY = "hookporter-dismissed-drifts";
const MOST = 200; // the server keeps no more of them

function readDismissed(): ReadonlySet<string> {
  // another program may have written it
  const kept: unknown = tryOr(() => JSON.parse(sessionStorage.getItem(KEY) ?? "[]"), []);
  return new Set(Array.isArray(kept) ? kept : []);
}

function keepDismissed(names: ReadonlySet<string>): ReadonlySet<string> {
  const kept = [...names].slice(-MOST);
  try {
    sessionStorage.setItem(KEY, JSON.stringify(kept));
  } catch {
    sessionStorage.removeItem(KEY); // no room: they are shown again after a reload
  }
  return new Set(kept);
}
