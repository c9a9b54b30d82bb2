import { useState } from "preact/hooks";
import type { DriftNote } from "../api.ts";
import type { ApiClient } from "./client.ts";
import { useLoaded } from "./use-loaded.ts";

/** How events began to differ in this run, newest first. */
export interface Drifts {
  readonly all: readonly DriftNote[];
  /** Those since the last dismissal. */
  readonly fresh: readonly DriftNote[];
  readonly dismiss: () => void;
}

/** Loads the differences whenever the feed tells of more, and after it was lost. */
export function useDrifts(client: ApiClient, isConnected: boolean, told: number): Drifts {
  const { value: all = [] } = useLoaded(() => client.drifts(), [client, isConnected, told]);
  const [seenUntil, setSeenUntil] = useState(0);
  return {
    all,
    fresh: all.filter(({ at }) => at > seenUntil),
    dismiss: () => setSeenUntil(all[0]?.at ?? 0),
  };
}
