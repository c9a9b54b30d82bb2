import type { Minute } from "../api.ts";
import { dayTime } from "./format.ts";
import { useWidth } from "./use-width.ts";

/** Verdicts in stacking order, good ones first. */
const VERDICTS = ["accepted", "duplicate", "dead", "rejected", "unauthorized", "refused", "failed"] as const;

const HEIGHT = 160;
const BASE = 140;
const TOP = 12;

/** Deliveries per minute of the last hour, by verdict. */
export function MinutesChart({ minutes }: { minutes: readonly Minute[] }) {
  const { element, width } = useWidth(720);
  const totals = minutes.map(({ counts }) => Object.values(counts).reduce((sum, count) => sum + count, 0));
  const most = Math.max(1, ...totals);
  const step = width / minutes.length;
  const scale = (BASE - TOP) / most;
  const used = VERDICTS.filter((word) => minutes.some(({ counts }) => (counts[word] ?? 0) > 0));
  const all = totals.reduce((sum, total) => sum + total, 0);
  return (
    <figure ref={element}>
      <svg
        viewBox={`0 0 ${width} ${HEIGHT}`}
        role="img"
        aria-label={`Deliveries per minute over the last hour: ${all} in total, at most ${most} per minute`}
      >
        <line class="axis" x1="0" x2={width} y1={BASE} y2={BASE} />
        <text class="tick" x="0" y={TOP - 2}>
          {most.toLocaleString("en")}
        </text>
        {minutes.map(({ at, counts }, index) => (
          <g key={at}>
            <title>{`${dayTime(at).slice(0, 5)}: ${describe(counts)}`}</title>
            <rect class="hover" x={index * step} y={TOP} width={step} height={BASE - TOP} />
            {stack(counts).map(({ word, from, count }) => (
              <rect
                key={word}
                class={`fill-${word}`}
                x={index * step + 1}
                width={Math.max(1, step - 2)}
                y={BASE - (from + count) * scale}
                height={count * scale}
              />
            ))}
          </g>
        ))}
        <text class="tick" x="0" y={HEIGHT - 4}>
          an hour ago
        </text>
        <text class="tick end" x={width} y={HEIGHT - 4}>
          now
        </text>
      </svg>
      <figcaption class="legend">
        {used.map((word) => (
          <span key={word} class={`key fill-${word}`}>
            {word}
          </span>
        ))}
      </figcaption>
    </figure>
  );
}

function stack(counts: Minute["counts"]): readonly { word: string; from: number; count: number }[] {
  let from = 0;
  return VERDICTS.flatMap((word) => {
    const count = counts[word] ?? 0;
    const piece = { word, from, count };
    from += count;
    return count === 0 ? [] : [piece];
  });
}

function describe(counts: Minute["counts"]): string {
  return (
    Object.entries(counts)
      .map(([word, count]) => `${count} ${word}`)
      .join(", ") || "none"
  );
}
