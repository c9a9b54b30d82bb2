/** An instant in this machine's local time, to the millisecond. */
export function clockTime(instant: number): string {
  const date = new Date(instant);
  return `${date.toTimeString().slice(0, 8)}.${String(date.getMilliseconds()).padStart(3, "0")}`;
}

/** An instant as day and time; without the day if it is today. */
export function dayTime(instant: number, now = Date.now()): string {
  const day = (at: number) => new Date(at).toLocaleDateString("sv-SE");
  const time = clockTime(instant).slice(0, 8);
  return day(instant) === day(now) ? time : `${day(instant)} ${time}`;
}

/** A duration in a suitable unit. */
export function duration(ms: number): string {
  if (ms < 1) return `${ms.toFixed(1)} ms`;
  if (ms < 1000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${Number((ms / 1000).toPrecision(3))} s`;
  if (ms < 3_600_000) return `${Math.round(ms / 60_000)} min`;
  return `${Number((ms / 3_600_000).toPrecision(2))} h`;
}

/** A number of bytes. */
export function size(bytes: number): string {
  if (bytes < 1000) return `${bytes} B`;
  if (bytes < 1_000_000) return `${Number((bytes / 1000).toPrecision(3))} kB`;
  return `${Number((bytes / 1_000_000).toPrecision(3))} MB`;
}

/** A number with its noun. */
export function counted(count: number, word: string): string {
  return `${count.toLocaleString("en")} ${word}${count === 1 ? "" : "s"}`;
}
