import { useEffect, useRef, useState } from "preact/hooks";

/** The rendered width of an element, so that its content needs no scaling and texts keep their size. */
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
