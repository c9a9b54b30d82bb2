/**
 * A function: its name, and its file relative to the package's root; Node's own start with `node:`.
 */
export interface Frame {
  readonly name: string;
  readonly file: string;
}

/** A function in a V8 CPU profile; a separate node for each call path. */
export interface ProfileNode {
  readonly id: number;
  readonly callFrame: {
    /**
     * Empty if it has none; `(idle)`, `(garbage collector)`, `(program)`, `(root)` are not
     * functions.
     */
    readonly functionName: string;
    /** Empty for functions built into V8 or Node's native part. */
    readonly url: string;
    /** Both start at 0. */
    readonly lineNumber: number;
    readonly columnNumber: number;
  };
  readonly children?: readonly number[];
}

/** A CPU profile in V8's format: samples of the thread's stack. */
export interface V8Profile {
  readonly nodes: readonly ProfileNode[];
  /** The node of each sample. */
  readonly samples: readonly number[];
  /** Microseconds from the previous sample to each. */
  readonly timeDeltas: readonly number[];
}

/** Self time of each node in microseconds, without the functions it called. */
export function selfTimes({ samples, timeDeltas }: V8Profile): ReadonlyMap<number, number> {
  const times = new Map<number, number>();
  for (const [index, id] of samples.entries()) {
    // sometimes V8 records a sample with an earlier time
    const until = Math.max(0, timeDeltas[index + 1] ?? 0);
    times.set(id, (times.get(id) ?? 0) + until);
  }
  return times;
}

/** Each node's caller. */
export function callers({ nodes }: V8Profile): ReadonlyMap<number, ProfileNode> {
  return new Map(nodes.flatMap((node) => (node.children ?? []).map((child) => [child, node])));
}

/** Returns the functions on the stack of a node, innermost first. */
export function stacks(
  profile: V8Profile,
  fileOf: (callFrame: ProfileNode["callFrame"]) => string,
): (id: number) => readonly Frame[] {
  const callerOf = callers(profile);
  const frames = new Map(
    profile.nodes.map(({ id, callFrame }) => [
      id,
      { name: callFrame.functionName, file: fileOf(callFrame) },
    ]),
  );
  return (id) => {
    const stack: Frame[] = [];
    for (let at: number | undefined = id; at !== undefined; at = callerOf.get(at)?.id) {
      const frame = frames.get(at);
      if (frame !== undefined) stack.push(frame);
    }
    return stack;
  };
}
