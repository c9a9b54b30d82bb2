import { useEffect, useState } from "preact/hooks";
import { durationText } from "../../../base/text/duration-text.ts";
import { ago, clockTime, dayTime, exactTime, zoneText } from "./format.ts";

const TICK = 1000; // milliseconds between two ticks of relative times

const listeners = new Set<() => void>();
let timer: ReturnType<typeof setInterval> | undefined;

interface LocalTimeProps {
  at: number;
  class?: string;
  isExact?: boolean;
}

/**
 * An instant in local time. Pointing at it shows it exactly, in local time and in UTC; screen
 * readers read both.
 */
export function LocalTime({ at, class: name, isExact = false }: LocalTimeProps) {
  return (
    <time class={name} dateTime={new Date(at).toISOString()} title={exactTime(at)}>
      {isExact ? clockTime(at) : dayTime(at)}
      <span class="spoken">, {new Date(at).toISOString().slice(11, 19)} UTC</span>
    </time>
  );
}

export function ZoneNote() {
  return (
    <span
      class="zone"
      title="Times are in this machine's time zone. Point at one to see it in UTC."
    >
      {zoneText() === "UTC" ? "times in UTC" : `local time, ${zoneText()}`}
    </span>
  );
}

/**
 * How long ago an instant was, kept up to date. Pointing at it shows the exact local time, and UTC.
 */
export function RelativeTime({ at, class: name }: { at: number; class?: string }) {
  const text = useTicking(() => ago(at));
  return (
    <time class={name} dateTime={new Date(at).toISOString()} title={exactTime(at)}>
      {text}
    </time>
  );
}

/** How long it takes until an instant, kept up to date: `in 12 s`. */
export function Countdown({ to }: { to: number }) {
  const seconds = () => Math.ceil((to - Date.now()) / 1000);
  return <>{useTicking(() => (seconds() > 0 ? `in ${durationText(seconds() * 1000)}` : "now"))}</>;
}

/**
 * A text that depends on the time. All of them share one timer, and only those that change are
 * rendered.
 */
function useTicking(read: () => string): string {
  const [, setText] = useState("");
  useEffect(() => {
    const look = () => setText(read());
    listeners.add(look);
    timer ??= setInterval(() => {
      for (const listener of listeners) listener();
    }, TICK);
    return () => {
      listeners.delete(look);
      if (listeners.size > 0) return;
      clearInterval(timer);
      timer = undefined;
    };
  });
  return read();
}
