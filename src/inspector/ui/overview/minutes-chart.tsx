import type { Minute } from "../../overview/overview-api.ts";
import { clockTime, counted } from "../parts/format.ts";
import { useScrolledBox } from "../parts/use-scrolled-box.ts";
import { toHash } from "../route.ts";

/**
 * What became of deliveries, in stacking order: each has one colour, and links to the deliveries
 * with these states.
 */
const FATES = [
  { name: "handled", states: ["handled"], words: [], label: "handled" },
  {
    name: "waiting",
    states: ["waiting", "failing", "running"],
    words: [],
    label: "waiting or failing",
  },
  { name: "dead", states: ["dead"], words: [], label: "dead" },
  {
    name: "refused",
    states: ["refused"],
    words: ["unauthorized", "refused", "failed"],
    label: "refused",
  },
  { name: "received", states: ["received"], words: [], label: "received, without a handler" },
  { name: "received", states: [], words: ["duplicate"], label: "duplicate" },
] as const;

const KEYS = [...FATES.slice(0, -2), { name: "received", label: "received or duplicate" }];

const MINUTE = 60_000;
const LEAST_MINUTES = 5; // a shorter session does not fill the chart, so that bars keep their width

const HEIGHT = 160;
const BASE = 140;
const TOP = 12;

/**
 * Deliveries per minute since `listen` started, the last hour at most, by what became of them, with
 * links to them.
 */
export function MinutesChart({ minutes, since }: { minutes: readonly Minute[]; since: number }) {
  // As wide as it is rendered, so that its content needs no scaling and texts keep their size.
  const { box, view } = useScrolledBox<HTMLElement>();
  const width = Math.max(200, view.width);
  const now = minutes.at(-1)?.at ?? 0;
  const shown = minutes.slice(-Math.max(LEAST_MINUTES, Math.floor((now - since) / MINUTE) + 2));
  const stacks = shown.map(stack);
  const totals = stacks.map((pieces) => pieces.reduce((sum, { count }) => sum + count, 0));
  const most = Math.max(1, ...totals);
  const step = width / shown.length;
  const scale = (BASE - TOP) / most;
  const all = totals.reduce((sum, total) => sum + total, 0);
  const every = Math.ceil(shown.length / Math.max(2, Math.floor(width / 90)));
  return (
    <figure ref={box}>
      {/* biome-ignore lint/a11y/useSemanticElements: a fieldset cannot be in a drawing */}
      <svg
        viewBox={`0 0 ${width} ${HEIGHT}`}
        role="group"
        aria-label={`Deliveries per minute: ${all} in total, at most ${most} per minute`}
      >
        <line class="axis" x1="0" x2={width} y1={BASE} y2={BASE} />
        <text class="tick" x="0" y={TOP - 2}>
          {most.toLocaleString("en")}
        </text>
        {shown.map(({ at }, index) => (
          <g key={at}>
            <rect class="hover" x={index * step} y={TOP} width={step} height={BASE - TOP} />
            {stacks[index]?.map(({ name, label, states, from, count }) => (
              <a key={label} href={hashFor(at, states)}>
                <title>{`${clockTime(at).slice(0, 5)}: ${counted(count, "delivery")} ${label}`}</title>
                <rect
                  class={`bar-${name}`}
                  x={index * step + 1}
                  width={Math.max(1, Math.min(step - 2, 60))}
                  y={BASE - (from + count) * scale}
                  height={count * scale}
                />
              </a>
            ))}
            {index % every === 0 && (
              <text class="tick" x={index * step} y={HEIGHT - 4}>
                {clockTime(at).slice(0, 5)}
              </text>
            )}
          </g>
        ))}
      </svg>
      <figcaption class="legend">
        {KEYS.map(({ name, label }) => (
          <span key={name} class={`key bar-${name}`}>
            {label}
          </span>
        ))}
      </figcaption>
    </figure>
  );
}

function hashFor(minute: number, states: readonly string[]): string {
  const range = { since: String(minute), until: String(minute + MINUTE) };
  const filter = new URLSearchParams({
    ...range,
    ...(states.length > 0 && { state: states.join(",") }),
  });
  return toHash({ path: "/", filter });
}

function stack({ counts, states }: Minute) {
  let from = 0;
  return FATES.flatMap((fate) => {
    const kept = fate.states.reduce(
      (sum, state) => sum + (state === "refused" ? 0 : states[state]),
      0,
    );
    const count = fate.words.reduce((sum, word) => sum + (counts[word] ?? 0), kept);
    const piece = { ...fate, from, count };
    from += count;
    return count === 0 ? [] : [piece];
  });
}
