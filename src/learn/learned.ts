import { emptyShape, observe, type Shape, type Watched } from "./shape.ts";

export interface LearnedKind {
  events: number;
  /** The times of the earliest and the latest of them, in milliseconds since 1970. */
  first: number;
  last: number;
  readonly shape: Shape;
}

export type Learned = Map<string, LearnedKind>;

/** The kinds in order of their names. */
export function inOrder(learned: Learned): readonly (readonly [kind: string, LearnedKind])[] {
  return [...learned].sort(([one], [other]) => (one < other ? -1 : 1));
}

/** Adds an event: its kind, its `data`, and its time in milliseconds since 1970. */
export function learn(learned: Learned, kind: string, data: unknown, at: number, watched?: Watched): void {
  let known = learned.get(kind);
  if (known === undefined) {
    known = { events: 0, first: at, last: at, shape: emptyShape() };
    learned.set(kind, known);
  }
  known.events++;
  known.first = Math.min(known.first, at);
  known.last = Math.max(known.last, at);
  observe(known.shape, data, watched);
}
