/**
 * A duration for people: `<0.1 ms`, `0.4 ms`, `12 ms`, `0.8 s`, `3 s`, `53 s`, `4 min`, `2 h`,
 * `3 days`.
 */
export function durationText(ms: number): string {
  if (ms > 0 && ms < 0.05) return "<0.1 ms";
  if (ms < 10) return `${Math.max(0, Math.round(ms * 10) / 10)} ms`;
  if (ms < 100) return `${Math.round(ms)} ms`;
  const seconds = ms / 1000;
  if (seconds < 9.95) return `${Number(seconds.toFixed(1))} s`;
  if (seconds < 119.5) return `${Math.round(seconds)} s`;
  const minutes = seconds / 60;
  if (minutes < 119.5) return `${Math.round(minutes)} min`;
  const hours = minutes / 60;
  return hours < 47.5 ? `${Math.round(hours)} h` : `${Math.round(hours / 24)} days`;
}
