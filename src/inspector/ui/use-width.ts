import { useEffect, useRef, useState } from "preact/hooks";

/** The width of an element as it is drawn, so that what is drawn in it needs no scaling and its texts keep their size. */
export function useWidth(first: number) {
  const element = useRef<HTMLElement>(null);
  const [width, setWidth] = useState(first);
  useEffect(() => {
    const observed = element.current;
    if (observed === null) return;
    const observer = new ResizeObserver(() => setWidth(Math.max(200, observed.clientWidth)));
    observer.observe(observed);
    return () => observer.disconnect();
  }, []);
  return { element, width };
}
