import { useEffect, useRef, useState } from "preact/hooks";
import type { RowCounts } from "../../api.ts";
import type { PageFilter } from "../page-filter.ts";
import { Button } from "../parts/button.tsx";
import { dayTime } from "../parts/format.ts";
import { setFilter } from "../route.ts";
import { StateChips } from "./state-chips.tsx";
import { ViewOptions } from "./view-options.tsx";

const PAUSE = 200; // milliseconds after the last keystroke before the filter is applied

interface FilterBarProps {
  filter: PageFilter;
  kinds: readonly string[];
  counts: RowCounts | undefined;
  /**
   * Called when the keyboard leaves the search for the list; `opens` if the first row is to be
   * opened.
   */
  onLeave: (opens: boolean) => void;
}

export function FilterBar({ filter, kinds, counts, onLeave }: FilterBarProps) {
  return (
    <search class="filters">
      <div class="search-row">
        <TextFilter text={filter.get("text") ?? ""} onLeave={onLeave} />
        <ViewOptions />
      </div>
      {filter.has("like") && (
        <p class="like">
          Failed like #{filter.get("like")}
          <Button label="Show all" onClick={() => setFilter({ like: "" })} />
        </p>
      )}
      <StateChips filter={filter} counts={counts} />
      <div class="selects">
        <KindFilter chosen={filter.get("kind") ?? ""} kinds={kinds} />
        <TimeFilter filter={filter} />
      </div>
    </search>
  );
}

export function isNarrowed(filter: PageFilter): boolean {
  return [...filter.keys()].length > 0;
}

export function clearFilter(): void {
  setFilter({ state: "", kind: "", within: "", since: "", until: "", text: "", like: "" });
}

function TextFilter({ text, onLeave }: { text: string; onLeave: (opens: boolean) => void }) {
  const [typed, setTyped] = useState(text);
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  useEffect(() => setTyped(text), [text]);
  const apply = (value: string) => {
    clearTimeout(timer.current);
    setFilter({ text: value });
  };
  const change = (value: string) => {
    setTyped(value);
    clearTimeout(timer.current);
    timer.current = setTimeout(apply, PAUSE, value);
  };
  return (
    <input
      id="text-filter"
      type="search"
      aria-label="Search reasons, errors, numbers, headers, kinds, ids and bodies"
      placeholder="Search error, #number, header, id, body"
      value={typed}
      onInput={(event) => change(event.currentTarget.value)}
      onKeyDown={(event) => {
        if (event.key === "Escape" && typed === "") event.currentTarget.blur();
        else if (event.key === "Escape") change("");
        else if (event.key === "Enter" || event.key === "ArrowDown") {
          event.preventDefault();
          event.currentTarget.blur();
          apply(typed);
          onLeave(event.key === "Enter");
        }
      }}
    />
  );
}

function KindFilter({ chosen, kinds }: { chosen: string; kinds: readonly string[] }) {
  const known = chosen === "" || chosen.endsWith(".*") ? kinds : [...new Set([...kinds, chosen])];
  const families = new Set([...known.map(familyOf), ...(chosen.endsWith(".*") ? [chosen] : [])]);
  return (
    <select
      aria-label="Kind"
      value={chosen}
      onChange={(event) => setFilter({ kind: event.currentTarget.value })}
    >
      <option value="">Every kind</option>
      {[...families].map((family) => (
        <optgroup key={family} label={family}>
          {[family, ...known.filter((kind) => familyOf(kind) === family)].map((kind) => (
            <option key={kind} value={kind}>
              {kind}
            </option>
          ))}
        </optgroup>
      ))}
    </select>
  );
}

function familyOf(kind: string): string {
  return `${kind.split(".")[0]}.*`;
}

const TIMES = [
  ["", "Any time"],
  ["300000", "Last 5 minutes"],
  ["3600000", "Last hour"],
  ["86400000", "Last day"],
  ["604800000", "Last 7 days"],
] as const;

/** Chooses since when, or shows the time range that a link to the list has. */
function TimeFilter({ filter }: { filter: PageFilter }) {
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
