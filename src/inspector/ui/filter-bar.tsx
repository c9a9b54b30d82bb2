import { useEffect, useRef, useState } from "preact/hooks";
import { setFilter } from "./route.ts";

const STATES = ["pending", "running", "done", "unhandled", "dead", "refused"];
const TIMES = [
  ["", "Any time"],
  ["300000", "Last 5 minutes"],
  ["3600000", "Last hour"],
  ["86400000", "Last day"],
  ["604800000", "Last 7 days"],
] as const;

/** Milliseconds after the last keystroke before the filter is applied. */
const PAUSE = 200;

/** The list's filter. */
export function FilterBar({ filter, kinds }: { filter: URLSearchParams; kinds: readonly string[] }) {
  const chosen = (filter.get("state") ?? "").split(",").filter((state) => state !== "");
  const toggle = (state: string) => {
    const next = chosen.includes(state) ? chosen.filter((one) => one !== state) : [...chosen, state];
    setFilter({ state: next.join(",") });
  };
  return (
    <search class="filters">
      <TextFilter text={filter.get("text") ?? ""} />
      <fieldset class="states" aria-label="State">
        {STATES.map((state) => (
          <button
            key={state}
            type="button"
            class={`chip ${state}`}
            aria-pressed={chosen.includes(state)}
            onClick={() => toggle(state)}
          >
            {state}
          </button>
        ))}
      </fieldset>
      <div class="selects">
        <select
          aria-label="Kind"
          value={filter.get("kind") ?? ""}
          onChange={(event) => setFilter({ kind: event.currentTarget.value })}
        >
          <option value="">Every kind</option>
          {families(kinds).map((family) => (
            <option key={family} value={family}>
              {family}
            </option>
          ))}
          {kinds.map((kind) => (
            <option key={kind} value={kind}>
              {kind}
            </option>
          ))}
        </select>
        <select
          aria-label="Time"
          value={filter.get("within") ?? ""}
          onChange={(event) => setFilter({ within: event.currentTarget.value })}
        >
          {TIMES.map(([value, label]) => (
            <option key={value} value={value}>
              {label}
            </option>
          ))}
        </select>
      </div>
    </search>
  );
}

/** Whether a filter is set. */
export function isNarrowed(filter: URLSearchParams): boolean {
  return [...filter.keys()].length > 0;
}

/** Removes the filter. */
export function clearFilter(): void {
  setFilter({ state: "", kind: "", within: "", since: "", until: "", text: "" });
}

function TextFilter({ text }: { text: string }) {
  const [typed, setTyped] = useState(text);
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  useEffect(() => setTyped(text), [text]);
  const change = (value: string) => {
    setTyped(value);
    clearTimeout(timer.current);
    timer.current = setTimeout(() => setFilter({ text: value }), PAUSE);
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
        if (event.key === "Escape") event.currentTarget.blur();
      }}
    />
  );
}

function families(kinds: readonly string[]): readonly string[] {
  return [...new Set(kinds.map((kind) => `${kind.split(".")[0]}.*`))];
}
