import type { PacedRetry, Pause, PauseScope } from "./pause.ts";
import { decodeText } from "./text.ts";

type Row = Readonly<Record<string, unknown>>;

/** A row of `paused`. */
export function toPause({ scope, name, since, who }: Row): Pause {
  return {
    scope: scope as PauseScope,
    name: decodeText(String(name)),
    since: Number(since),
    who: decodeText(String(who)),
  };
}

/** A row of `pace`, with `left_over`. */
export function toRetry(row: Row): PacedRetry {
  return {
    id: Number(row.id),
    since: Number(row.since),
    who: decodeText(String(row.who)),
    interval: Number(row.interval_ms),
    entries: Number(row.entries),
    canary: JSON.parse(String(row.canary)),
    left: Number(row.left_over),
    until: Number(row.due_until),
  };
}
