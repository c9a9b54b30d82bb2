import { useEffect, useRef } from "preact/hooks";

/** Listens to an event of the window for as long as the component is there. */
export function useWindowEvent<Name extends keyof WindowEventMap>(
  name: Name,
  listener: (event: WindowEventMap[Name]) => void,
): void {
  const current = useRef(listener);
  current.current = listener;
  useEffect(() => {
    const call = (event: WindowEventMap[Name]) => current.current(event);
    addEventListener(name, call);
    return () => removeEventListener(name, call);
  }, []);
}

/** Listens for keys, except in inputs, with modifiers, or in a dialog. One that is held down counts once, unless it moves. */
export function useKeys(keys: Readonly<Record<string, () => void>>): void {
  useWindowEvent("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || document.querySelector("dialog[open]")) return;
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
