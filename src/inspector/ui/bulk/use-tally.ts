import { useEffect, useState } from "preact/hooks";
import type { OpenState, Tally } from "../../changes/bulk-api.ts";
import { useClient } from "../client.ts";
import { errorText } from "../use-loaded.ts";

/** Counts the entries that match a filter, in as many requests as it takes. */
export function useTally(filter: URLSearchParams) {
  const client = useClient();
  const [tally, setTally] = useState<Tally>();
  const [failure, setFailure] = useState<string>();
  useEffect(() => {
    let isCurrent = true;
    const count = async () => {
      let sum: Tally | undefined;
      do {
        const query = new URLSearchParams(filter);
        if (sum?.next != null) query.set("before", String(sum.next));
        sum = plus(sum, await client.tally(query));
        if (isCurrent) setTally(sum);
      } while (isCurrent && sum.next !== null);
    };
    count().catch((thrown: unknown) => {
      if (isCurrent) setFailure(errorText(thrown));
    });
    return () => {
      isCurrent = false;
    };
  }, []);
  return { tally, failure, isCounting: failure === undefined && tally?.next !== null };
}

function plus(sum: Tally | undefined, more: Tally): Tally {
  if (sum === undefined) return more;
  const states = { ...sum.states };
  for (const state of Object.keys(states) as OpenState[]) states[state] += more.states[state];
  const { dropped, foreign, newest } = sum;
  return {
    ...{ states, dropped: dropped + more.dropped, foreign: foreign + more.foreign },
    ...{ newest: newest ?? more.newest, next: more.next },
  };
}
