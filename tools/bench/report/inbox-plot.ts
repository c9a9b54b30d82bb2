import type { Measured } from "../sections/measured.ts";
import { plot, type Series } from "./plot.ts";

/** Throughput against the entries in the inbox. Plain Express, which keeps nothing, is a level. */
export function inboxPlot(measured: readonly Measured[]): string {
  const ours = measured.filter(({ contestant }) => contestant === "hookporter node, received only");
  const plain = measured.find(({ contestant }) => contestant === "express plain");
  const sizes = ours.map(({ entries }) => entries);
  const series: Series[] = [
    {
      name: "hookporter on node:http, durable",
      ours: true,
      points: ours.map((our) => ({ x: our.entries, y: our.perSecond })),
    },
    {
      name: "plain Express, nothing kept",
      ours: false,
      level: true,
      points: sizes.map((x) => ({ x, y: plain?.perSecond ?? 0 })),
    },
  ];
  return plot(series, {
    title: "Deliveries a second by entries in the inbox (600 bytes, 64 connections)",
    x: "entries in the inbox beforehand",
    y: "deliveries a second",
    marks: sizes.map((at) => ({ at, text: at >= 1e6 ? `${at / 1e6} million` : String(at) })),
  });
}
