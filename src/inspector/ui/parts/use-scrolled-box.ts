import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { LINE_HEIGHT, topFor } from "./line-window.ts";

/**
 * Follows the size of a box and how far it has been scrolled, so that only its visible lines are
 * rendered.
 */
export function useScrolledBox<Box extends HTMLElement = HTMLDivElement>(lineHeight = LINE_HEIGHT) {
  const box = useRef<Box>(null);
  const [view, setView] = useState({ top: 0, height: 800, width: 0 });
  const look = () => {
    const element = box.current;
    if (element === null) return;
    setView({ top: element.scrollTop, height: element.clientHeight, width: element.clientWidth });
  };
  useLayoutEffect(() => {
    const element = box.current;
    if (element === null) return;
    const observer = new ResizeObserver(look);
    observer.observe(element);
    look();
    return () => observer.disconnect();
  }, []);
  return {
    box,
    view,
    onScroll: look,
    /** Scrolls to one of `count` lines, which must be rendered already: call it in an effect. */
    scrollTo: (line: number, count: number) => {
      const element = box.current;
      if (element === null) return;
      const { scrollTop: top, clientHeight: height } = element;
      element.scrollTop = topFor(line, { count, top, height, lineHeight });
      look();
    },
  };
}
