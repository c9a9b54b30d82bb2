import type { RowCounts } from "../../api.ts";
import type { PageFilter } from "../page-filter.ts";
import { setFilter } from "../route.ts";

/** The states that a chip stands for; its label is the mark's too. */
const CHIPS = [
  { label: "failing", states: ["failing"] },
  { label: "dead", states: ["dead"] },
  { label: "waiting", states: ["waiting", "running"] },
  { label: "handled", states: ["handled"] },
  { label: "received", states: ["received"] },
  { label: "refused", states: ["refused"] },
] as const;

/** A chip for each state, with the number of deliveries that match the rest of the filter. */
export function StateChips({
  filter,
  counts,
}: {
  filter: PageFilter;
  counts: RowCounts | undefined;
}) {
  const chosen = (filter.get("state") ?? "").split(",").filter((state) => state !== "");
  const isChosen = ({ states }: (typeof CHIPS)[number]) =>
    states.every((state) => chosen.includes(state));
  const choose = (chip: (typeof CHIPS)[number], isAdded: boolean) => {
    const others = CHIPS.filter((candidate) => candidate !== chip && isChosen(candidate));
    const next = [
      ...(isAdded ? others : []),
      ...(isChosen(chip) && (isAdded || others.length === 0) ? [] : [chip]),
    ];
    setFilter({ state: next.flatMap(({ states }) => states).join(",") });
  };
  // A text is found by reading bodies, so how often is not known.
  const known = filter.has("text") || counts === undefined ? null : counts.states;
  const countOf = ({ states }: (typeof CHIPS)[number]) =>
    states.reduce(
      (sum, state) => sum + (state === "refused" ? (counts?.refused ?? 0) : (known?.[state] ?? 0)),
      0,
    );
  const all = known === null ? null : CHIPS.reduce((sum, chip) => sum + countOf(chip), 0);
  return (
    <fieldset class="states" aria-label="State" title="Ctrl+click or Shift+click selects several">
      <button
        type="button"
        class="chip"
        aria-pressed={chosen.length === 0}
        onClick={() => setFilter({ state: "" })}
      >
        <Count count={all} isEstimate={known?.handledIsEstimate === true} />
        <span> all</span>
      </button>
      {CHIPS.map((chip) => (
        <button
          key={chip.label}
          type="button"
          class="chip"
          aria-pressed={isChosen(chip)}
          onClick={({ ctrlKey, metaKey, shiftKey }) => choose(chip, ctrlKey || metaKey || shiftKey)}
        >
          <span class={`state ${chip.label}`}>
            <Count
              count={known === null ? null : countOf(chip)}
              isEstimate={chip.label === "handled" && known?.handledIsEstimate === true}
            />
          </span>
          <span> {chip.label}</span>
        </button>
      ))}
    </fieldset>
  );
}

function Count({ count, isEstimate }: { count: number | null; isEstimate: boolean }) {
  if (count === null) return <span class="chip-count"> </span>;
  const full = `${isEstimate ? "about " : ""}${count.toLocaleString("en")}`;
  return (
    <span class="chip-count" title={full}>
      {isEstimate ? "~" : ""}
      {short(count)}
    </span>
  );
}

/** A number in at most four characters. */
function short(count: number): string {
  if (count < 10_000) return String(count);
  const [size, unit] = count < 1_000_000 ? [1000, "k"] : [1_000_000, "M"];
  return `${Number((count / size).toPrecision(count / size < 10 ? 2 : 3))}${unit}`;
}
