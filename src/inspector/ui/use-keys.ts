import { useWindowEvent } from "./use-window-event.ts";

/**
 * Listens for keys, except in inputs, with modifiers, or in a dialog. One that is held down counts
 * once, unless it moves.
 */
export function useKeys(keys: Readonly<Record<string, () => void>>): void {
  useWindowEvent("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || document.querySelector("dialog[open]"))
      return;
    const target = event.target as HTMLElement;
    if (/^(?:INPUT|TEXTAREA|SELECT)$/.test(target.tagName)) return;
    const inList = target.id === "list" || target === document.body || target.tagName === "H1";
    // A button keeps its own Enter; arrows scroll whatever has the focus, except the list.
    if (!inList && /^(?:Enter|Arrow)/.test(event.key)) return;
    if (!inList && target.closest("pre") !== null && event.key.length > 1) return;
    const action = Object.hasOwn(keys, event.key) ? keys[event.key] : undefined;
    if (action === undefined) return;
    event.preventDefault();
    if (event.repeat && !/^(?:[jk]|Arrow.*)$/.test(event.key)) return;
    action();
  });
}
