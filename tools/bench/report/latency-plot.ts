import type { ContestantName } from "../contestants/all.ts";
import type { Measured } from "../sections/measured.ts";
import { plot, type Series } from "./plot.ts";

/**
 * 99th percentile of the latency by number of connections, each sending as fast as it can: of all
 * contestants measured with every number, ours only as they are usually configured.
 */
export function latencyPlot(loads: readonly Measured[]): string {
  const small = loads.filter(({ size }) => size === 600);
  const connections = [...new Set(small.map((measured) => measured.connections))].sort(
    (a, b) => a - b,
  );
  const of = (name: ContestantName) => small.filter(({ contestant }) => contestant === name);
  const names = [...new Set(small.map(({ contestant }) => contestant))].filter(
    (name) => !name.includes(",") && of(name).length === connections.length,
  );
  const series: Series[] = names.map((name) => ({
    name,
    ours: name.startsWith("hookporter"),
    points: of(name)
      .sort((a, b) => a.connections - b.connections)
      .map((measured) => ({ x: measured.connections, y: measured.p99 })),
  }));
  return plot(series, {
    title: "Latency by load (600 bytes, p99)",
    x: "connections, each sending as fast as it is answered",
    y: "milliseconds, p99",
    marks: connections.map((at) => ({ at, text: String(at) })),
    unit: " ms",
    logarithmicY: true,
  });
}
