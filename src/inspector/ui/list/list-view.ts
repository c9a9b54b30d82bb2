import { useState } from "preact/hooks";
import { useWindowEvent } from "../use-window-event.ts";

export interface ListView {
  readonly density: Density;
  /** Where the rows' resource is, such as `data.id`. */
  readonly resource: string;
}

export type Density = "comfortable" | "compact";

export const DEFAULT_RESOURCE = "data.id";
/** The next program on this port can read and change it: it holds nothing of a delivery, and its values are checked. */
const KEY = "hookporter-list";
const MAX_PATH = 100;

export function setListView(change: Partial<ListView>): void {
  const { density, resource } = { ...readListView(), ...change };
  localStorage.setItem(KEY, JSON.stringify({ density, resource }));
  dispatchEvent(new StorageEvent("storage")); // browsers tell the other tabs only
}

export function useListView(): ListView {
  const [view, setView] = useState(readListView);
  useWindowEvent("storage", () => setView(readListView()));
  return view;
}

function readListView(): ListView {
  let kept: Partial<Record<keyof ListView, unknown>> = {};
  try {
    kept = JSON.parse(localStorage.getItem(KEY) ?? "{}") ?? {};
  } catch {
    // Another program wrote it.
  }
  const { density, resource } = kept;
  const isPath = typeof resource === "string" && resource !== "" && resource.length <= MAX_PATH;
  return {
    density: density === "compact" ? "compact" : "comfortable",
    resource: isPath ? resource : DEFAULT_RESOURCE,
  };
}
