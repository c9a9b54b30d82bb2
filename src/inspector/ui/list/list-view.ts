import { useState } from "preact/hooks";
import { tryOr } from "../../../base/try-or.ts";
import { useWindowEvent } from "../use-window-event.ts";

export type ListView = ReturnType<typeof readListView>;
export type Density = "comfortable" | "compact";

export const DEFAULT_RESOURCE = "data.id";
/**
 * The next program on this port can read and change it: it holds nothing of a delivery, and its
 * values are checked.
 */
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

/** What the list asks for: the address's filter, and the resource that the rows show. */
export function feedFilter(filter: URLSearchParams, resource: string): string {
  const asked = new URLSearchParams(filter);
  if (resource !== DEFAULT_RESOURCE) asked.set("resource", resource);
  return asked.toString();
}

function readListView() {
  // another program may have written it
  const kept = tryOr(() => JSON.parse(localStorage.getItem(KEY) ?? "{}"), {});
  const { resource } = kept ?? {};
  const density: Density = kept?.density === "compact" ? "compact" : "comfortable";
  const isPath = typeof resource === "string" && resource !== "" && resource.length <= MAX_PATH;
  return {
    density,
    /** Where the rows' resource is, such as `data.id`. */
    resource: isPath ? resource : DEFAULT_RESOURCE,
  };
}
