import type { Measured } from "../sections/measured.ts";
import { plot, type Series } from "./plot.ts";

/** Latency that 99 of 100 requests stay below, against the number of connections that send as fast as they can. */
export function latencyPlot(loads: readonly Measured[]): string {
  const small = loads.filter(({ size }) => size === 600);
  const connections = [...new Set(small.map((one) => one.connections))].sort((a, b) => a - b);
  const names = [...new Set(small.map(({ contestant }) => contestant))];
  const series: Series[] = names.map((name) => ({
    name,
    ours: name === "hookporter express" || name === "hookporter node",
    points: small
      .filter(({ contestant }) => contestant === name)
      .sort((a, b) => a.connections - b.connections)
      .map((one) => ({ x: one.connections, y: one.p99 })),
  }));
  return plot(series, {
    title: "Latency by load (600 bytes, p99)",
    x: "connections, each sending as fast as it is answered",
    y: "milliseconds, p99",
    marks: connections.map((at) => ({ at, text: String(at) })),
    logarithmicY: true,
  });
}
