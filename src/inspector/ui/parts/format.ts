import { escapeInvisible } from "../../../base/text/escape-invisible.ts";

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

/** How long ago an instant was, in one unit: `3 s ago`. */
export function ago(instant: number, now = Date.now()): string {
  const seconds = Math.floor((now - instant) / 1000);
  if (seconds < 1) return "now";
  if (seconds < 60) return `${seconds} s ago`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min ago`;
  if (seconds < 86_400) return `${Math.floor(seconds / 3600)} h ago`;
  if (seconds < 30 * 86_400) return `${Math.floor(seconds / 86_400)} d ago`;
  return dayTime(instant, now).slice(0, 10);
}

/**
 * An instant exactly, in this machine's local time and in UTC:
 * `2026-11-22 13:10:25.123 UTC+1 (12:10:25.123 UTC)`.
 */
export function exactTime(instant: number): string {
  const zone = zoneText(instant);
  const local = `${new Date(instant).toLocaleDateString("sv-SE")} ${clockTime(instant)} ${zone}`;
  return zone === "UTC" ? local : `${local} (${new Date(instant).toISOString().slice(11, -1)} UTC)`;
}

/** This machine's time zone as an offset, such as `UTC+1` or `UTC−3:30`. */
export function zoneText(now = Date.now()): string {
  const ahead = -new Date(now).getTimezoneOffset();
  const hours = Math.floor(Math.abs(ahead) / 60);
  const minutes = Math.abs(ahead) % 60;
  if (ahead === 0) return "UTC";
  return `UTC${ahead > 0 ? "+" : "−"}${hours}${minutes === 0 ? "" : `:${String(minutes).padStart(2, "0")}`}`;
}

/** `1 entry`, `2,000 entries`. */
export function counted(count: number, word: string): string {
  return `${count.toLocaleString("en")} ${count === 1 ? word : `${word.replace(/y$/, "ie")}s`}`;
}

/**
 * Makes a text safe to display: see {@link escapeInvisible}. With `lines`, line breaks and tabs are
 * kept.
 */
export function visible(
  text: string,
  { lines = false }: { readonly lines?: boolean } = {},
): string {
  return escapeInvisible(text, lines ? "\n\t" : "");
}
