import { useRef } from "preact/hooks";

/** Milliseconds in which a key must be pressed again. */
const TIME = 2500;

/** A brake for a key with effects: the first press says what it would do, the second one does it. */
export function useSecondPress(): (
  what: string,
  act: { readonly say: () => void; readonly do: () => void },
) => void {
  const first = useRef<{ readonly what: string; readonly at: number } | undefined>(undefined);
  return (what, act) => {
    const before = first.current;
    const isSecond = before?.what === what && performance.now() - before.at < TIME;
    first.current = isSecond ? undefined : { what, at: performance.now() };
    if (isSecond) act.do();
    else act.say();
  };
}
