import type { HistogramBucket } from "../../overview/overview-api.ts";
import { useWidth } from "./use-width.ts";

const HEIGHT = 150;
const BASE = 118;
const TOP = 16;

/** Response times: a bar per range. */
export function LatencyChart({ buckets }: { buckets: readonly HistogramBucket[] }) {
  const { element, width } = useWidth(340);
  const most = Math.max(1, ...buckets.map(({ count }) => count));
  const total = buckets.reduce((sum, { count }) => sum + count, 0);
  const step = width / buckets.length;
  const busiest = buckets.find(({ count }) => count === most);
  return (
    <figure ref={element}>
      <svg
        viewBox={`0 0 ${width} ${HEIGHT}`}
        role="img"
        aria-label={`Time to the answer of ${total} deliveries, most of them ${rangeName(busiest?.upTo ?? null)}`}
      >
        <line class="axis" x1="0" x2={width} y1={BASE} y2={BASE} />
        {buckets.map(({ upTo, count }, index) => {
          const height = ((BASE - TOP) * count) / most;
          return (
            <g key={upTo}>
              <title>{`${rangeName(upTo)}: ${count}`}</title>
              <rect class="hover" x={index * step} y={TOP} width={step} height={BASE - TOP} />
              <rect
                class="fill-plain"
                x={index * step + 2}
                width={step - 4}
                y={BASE - height}
                height={height}
              />
              {count > 0 && (
                <text class="tick middle" x={(index + 0.5) * step} y={BASE - height - 4}>
                  {short(count)}
                </text>
              )}
              <text class="tick middle" x={(index + 0.5) * step} y={BASE + 14}>
                {upTo === null ? "∞" : short(upTo)}
              </text>
            </g>
          );
        })}
        <text class="tick" x="0" y={HEIGHT - 4}>
          up to this many milliseconds
        </text>
      </svg>
    </figure>
  );
}

function rangeName(upTo: number | null): string {
  return upTo === null ? "over 5 seconds" : `at most ${upTo} ms`;
}

function short(count: number): string {
  return count < 1000 ? String(count) : `${Number((count / 1000).toPrecision(2))}k`;
}
