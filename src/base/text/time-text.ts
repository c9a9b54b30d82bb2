/** A time for people, on this machine's clock: `08:44`, or `23 Nov 08:44` of another day. */
export function timeText(at: number, now: number): string {
  const then = new Date(at);
  const today = new Date(now);
  const time = then.toTimeString().slice(0, 5);
  if (then.toDateString() === today.toDateString()) return time;
  return `${then.getDate()} ${then.toLocaleString("en", { month: "short" })} ${time}`;
}
