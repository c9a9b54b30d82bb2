import { useEffect, useState } from "preact/hooks";

export interface Loaded<Value> {
  readonly value: Value | undefined;
  readonly failure: string | undefined;
}

/** Loads a value, and again whenever one of `inputs` changes; keeps the old value until there is a new one, also if that fails. */
export function useLoaded<Value>(load: () => Promise<Value>, inputs: readonly unknown[]): Loaded<Value> {
  const [loaded, setLoaded] = useState<Loaded<Value>>({ value: undefined, failure: undefined });
  useEffect(() => {
    let current = true;
    load()
      .then((value) => current && setLoaded({ value, failure: undefined }))
      .catch((thrown: unknown) => {
        if (current)
          setLoaded(({ value }) => ({ value, failure: thrown instanceof Error ? thrown.message : "failed" }));
      });
    return () => {
      current = false;
    };
  }, inputs);
  return loaded;
}
