import { useEffect, useState } from "preact/hooks";
import type { Tally } from "../../changes/bulk-api.ts";
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
  const { states } = sum;
  return {
    states: {
      waiting: states.waiting + more.states.waiting,
      failing: states.failing + more.states.failing,
      running: states.running + more.states.running,
      dead: states.dead + more.states.dead,
      received: states.received + more.states.received,
    },
    dropped: sum.dropped + more.dropped,
    foreign: sum.foreign + more.foreign,
    newest: sum.newest ?? more.newest,
    next: more.next,
  };
}
