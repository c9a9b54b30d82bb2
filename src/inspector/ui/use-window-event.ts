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
