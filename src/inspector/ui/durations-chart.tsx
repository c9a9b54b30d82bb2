import { durationText } from "../../duration-text.ts";
import type { KindDurations } from "../overview-api.ts";
import { counted } from "./format.ts";
import { useWidth } from "./use-width.ts";
import { visible } from "./visible.ts";

const LINE = 38;
const SHOWN = 6;

/** Handler durations by kind, from the median to the 95th percentile, on a logarithmic scale. */
export function DurationsChart({ durations }: { durations: readonly KindDurations[] }) {
  const { element, width } = useWidth(340);
  const shown = durations.slice(0, SHOWN);
  const longest = Math.max(10, ...shown.map((one) => one.longest));
  const decades = Math.ceil(Math.log10(longest));
  const x = (ms: number) =>
    4 + ((width - 12) * Math.max(0, Math.log10(Math.max(0.1, ms)) + 1)) / (decades + 1);
  const height = shown.length * LINE + 20;
  return (
    <figure ref={element}>
      <svg
        viewBox={`0 0 ${width} ${height}`}
        role="img"
        aria-label={`Handler durations: ${shown.map(describe).join("; ")}`}
      >
        {Array.from({ length: decades + 2 }, (_, step) => 10 ** (step - 1)).map((ms) => (
          <g key={ms}>
            <line class="grid" x1={x(ms)} x2={x(ms)} y1="0" y2={height - 18} />
            <text class={`tick ${ms === 0.1 ? "" : "middle"}`} x={ms === 0.1 ? 0 : x(ms)} y={height - 4}>
              {ms >= 1000 ? `${ms / 1000} s` : `${ms} ms`}
            </text>
          </g>
        ))}
        {shown.map((one, index) => {
          const y = index * LINE + 28;
          return (
            <g key={one.kind}>
              <title>{describe(one)}</title>
              <text class="label" x="4" y={y - 12}>
                {visible(one.kind)}
              </text>
              <text class="tick end" x={width - 4} y={y - 12}>
                {one.failed > 0 ? `${one.failed} of ${one.runs} failed` : counted(one.runs, "run")}
              </text>
              <rect
                class={one.failed > 0 ? "fill-dead" : "fill-plain"}
                x={x(one.median)}
                y={y - 3}
                width={Math.max(3, x(one.p95) - x(one.median))}
                height="6"
                rx="3"
              />
              <circle class="longest" cx={x(one.longest)} cy={y} r="3" />
            </g>
          );
        })}
      </svg>
      <figcaption class="legend">
        From the median to 95 % of the runs; the ring is the longest. Each step is ten times the one before.
      </figcaption>
    </figure>
  );
}

function describe({ kind, runs, failed, median, p95, longest }: KindDurations): string {
  const times = `median ${durationText(median)}, 95 % within ${durationText(p95)}, longest ${durationText(longest)}`;
  return `${visible(kind)}, ${counted(runs, "run")}, ${failed} failed, ${times}`;
}
