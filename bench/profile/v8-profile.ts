/** A function in a V8 CPU profile; an address of its own for each way it was called. */
export interface ProfileNode {
  readonly id: number;
  readonly callFrame: {
    /** Empty where it has none; `(idle)`, `(garbage collector)`, `(program)`, `(root)` are no functions. */
    readonly functionName: string;
    /** Empty for what is built into V8 or Node's native part. */
    readonly url: string;
    /** From 0 on, both. */
    readonly lineNumber: number;
    readonly columnNumber: number;
  };
  readonly children?: readonly number[];
}

/** A CPU profile as V8 writes it: what the thread was at, at many moments. */
export interface V8Profile {
  readonly nodes: readonly ProfileNode[];
  /** The node of each moment. */
  readonly samples: readonly number[];
  /** Microseconds from the moment before to each. */
  readonly timeDeltas: readonly number[];
}

/** Microseconds spent in each node itself, and not in what it called. */
export function selfTimes({ samples, timeDeltas }: V8Profile): ReadonlyMap<number, number> {
  const times = new Map<number, number>();
  for (const [index, id] of samples.entries()) {
    const until = Math.max(0, timeDeltas[index + 1] ?? 0); // now and then V8 looks before the time it noted
    times.set(id, (times.get(id) ?? 0) + until);
  }
  return times;
}

/** Each node's caller. */
export function callers({ nodes }: V8Profile): ReadonlyMap<number, ProfileNode> {
  return new Map(nodes.flatMap((node) => (node.children ?? []).map((child) => [child, node])));
}
