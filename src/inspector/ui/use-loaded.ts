import { useEffect, useState } from "preact/hooks";
import { isError } from "../../base/guards.ts";

/**
 * Loads a value, and again whenever one of `inputs` changes; keeps the old value until there is a
 * new one, also if that fails. `load` can ask whether its result is still awaited.
 */
export function useLoaded<Value>(
  load: (isCurrent: () => boolean) => Promise<Value>,
  inputs: readonly unknown[],
) {
  const [loaded, setLoaded] = useState<{ readonly value?: Value; readonly failure?: string }>({});
  useEffect(() => {
    let current = true;
    load(() => current).then(
      (value) => current && setLoaded({ value }),
      (thrown: unknown) =>
        current && setLoaded((before) => ({ ...before, failure: errorText(thrown) })),
    );
    return () => {
      current = false;
    };
  }, inputs);
  return loaded;
}

/**
 * Like {@link useLoaded}, but loads again at an interval in milliseconds, and whenever `again` is
 * called.
 */
export function usePolled<Value>(
  load: () => Promise<Value>,
  every: number,
  inputs: readonly unknown[] = [],
) {
  const [count, setCount] = useState(0);
  const refresh = () => setCount((before) => before + 1);
  useEffect(() => {
    const timer = setInterval(refresh, every);
    return () => clearInterval(timer);
  }, []);
  return { ...useLoaded(load, [...inputs, count]), again: refresh };
}

export function errorText(thrown: unknown): string {
  return isError(thrown) ? thrown.message : String(thrown);
}
