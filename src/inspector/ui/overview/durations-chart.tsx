import { durationText } from "../../../text/duration-text.ts";
import type { KindDurations } from "../../overview/overview-api.ts";
import { counted } from "../parts/format.ts";
import { visible } from "../parts/visible.ts";
import { useWidth } from "./use-width.ts";

const LINE = 38;
const SHOWN = 6;

/** Room for the number of runs at the end of a line, and for a letter of a kind. */
const COUNT_WIDTH = 130;
const LETTER_WIDTH = 7;

/** Handler durations by kind, from the median to the 95th percentile, on a logarithmic scale. */
export function DurationsChart({ durations }: { durations: readonly KindDurations[] }) {
  const { element, width } = useWidth(340);
  const shown = durations.slice(0, SHOWN);
  const longest = Math.max(10, ...shown.map((one) => one.longest));
  const decades = Math.ceil(Math.log10(longest));
  const x = (ms: number) =>
    4 + ((width - 12) * Math.max(0, Math.log10(Math.max(0.1, ms)) + 1)) / (decades + 1);
  const anchors: Readonly<Record<number, string>> = { 0: "", [decades + 1]: "end" }; // so that the outer ones stay inside
  const height = shown.length * LINE + 20;
  return (
    <figure ref={element}>
      <svg
        viewBox={`0 0 ${width} ${height}`}
        role="img"
        aria-label={`Handler durations: ${shown.map(describe).join("; ")}`}
      >
        {Array.from({ length: decades + 2 }, (_, step) => 10 ** (step - 1)).map((ms, step) => (
          <g key={ms}>
            <line class="grid" x1={x(ms)} x2={x(ms)} y1="0" y2={height - 18} />
            <text class={`tick ${anchors[step] ?? "middle"}`} x={step === 0 ? 0 : x(ms)} y={height - 4}>
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
                {fitting(visible(one.kind), width - COUNT_WIDTH)}
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
      <figcaption class="legend">From the median to 95 % of the runs; the ring is the longest.</figcaption>
    </figure>
  );
}

/** As much of a text as fits in a width; its `<title>` has it whole. */
function fitting(text: string, width: number): string {
  const most = Math.max(8, Math.floor(width / LETTER_WIDTH));
  return text.length > most ? `${text.slice(0, most - 1)}…` : text;
}

function describe({ kind, runs, failed, median, p95, longest }: KindDurations): string {
  const times = `median ${durationText(median)}, 95 % within ${durationText(p95)}, longest ${durationText(longest)}`;
  return `${visible(kind)}, ${counted(runs, "run")}, ${failed} failed, ${times}`;
}
