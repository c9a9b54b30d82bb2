import { dayTime } from "../parts/format.ts";
import { setFilter } from "../route.ts";

const TIMES = [
  ["", "Any time"],
  ["300000", "Last 5 minutes"],
  ["3600000", "Last hour"],
  ["86400000", "Last day"],
  ["604800000", "Last 7 days"],
] as const;

/** Chooses since when, or shows the time range that a link to the list has. */
export function TimeFilter({ filter }: { filter: URLSearchParams }) {
  const since = Number(filter.get("since") ?? Number.NaN);
  const until = Number(filter.get("until") ?? Number.NaN);
  const range = rangeText(since, until);
  return (
    <select
      aria-label="Time"
      value={range === undefined ? (filter.get("within") ?? "") : "range"}
      onChange={(event) => setFilter({ within: event.currentTarget.value, since: "", until: "" })}
    >
      {range !== undefined && <option value="range">{range}</option>}
      {TIMES.map(([value, label]) => (
        <option key={value} value={value}>
          {label}
        </option>
      ))}
    </select>
  );
}

function rangeText(since: number, until: number): string | undefined {
  const [from, to] = [since, until].map((at) => (at > 0 && at < 8e15 ? dayTime(at) : undefined));
  if (from !== undefined && to !== undefined) return `${from} to ${to}`;
  if (from !== undefined) return `since ${from}`;
  return to === undefined ? undefined : `until ${to}`;
}
