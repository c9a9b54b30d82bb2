import { threeDigits } from "../numbers.ts";
import { labelPlaces } from "./label-places.ts";

/** One line of a plot. */
export interface Series {
  readonly name: string;
  readonly points: readonly { readonly x: number; readonly y: number }[];
  /** Drawn thicker than the others. */
  readonly ours: boolean;
  /** A single measurement, drawn across the whole axis. */
  readonly level?: boolean;
  /** Measurements of different things, which no line connects. */
  readonly apart?: boolean;
}

/** A plot's texts and scales. */
export interface PlotOptions {
  readonly title: string;
  readonly x: string;
  readonly y: string;
  /** The unit after the last value of each line, such as ` ms`; empty if the axis has it. */
  readonly unit?: string;
  /** The x values with a tick, and their labels of one or two lines. */
  readonly marks: readonly { readonly at: number; readonly text: string }[];
  readonly logarithmicY?: boolean;
}

const WIDTH = 860;
const HEIGHT = 440;
const LEFT = 80;
const RIGHT = 260;
const TOP = 50;
const BOTTOM = 60;
const COLOURS = [
  "#0b57d0",
  "#0a8754",
  "#b3261e",
  "#8e5bd6",
  "#a06000",
  "#00838f",
  "#5f6368",
  "#c2185b",
  "#33691e",
];

/** Lines as an SVG image, each with its name at its end. */
export function plot(series: readonly Series[], options: PlotOptions): string {
  const { title, x, y, marks, unit = "", logarithmicY = false } = options;
  const across = (index: number) =>
    LEFT + (index * (WIDTH - LEFT - RIGHT)) / Math.max(1, marks.length - 1);
  const placeOf = new Map(marks.map(({ at }, index) => [at, across(index)]));
  const values = series.flatMap(({ points }) => points.map((point) => point.y));
  const ticks = logarithmicY ? powers(values) : steps(Math.max(...values));
  const scale = logarithmicY ? Math.log10 : (value: number) => value;
  const low = scale(ticks[0] ?? 0);
  const high = scale(ticks.at(-1) ?? 1);
  const up = (value: number) =>
    HEIGHT - BOTTOM - ((scale(value) - low) / (high - low)) * (HEIGHT - TOP - BOTTOM);
  const right = WIDTH - RIGHT;
  const parts = [
    `<text x="${LEFT}" y="24" font-size="16" font-weight="600">${title}</text>`,
    `<text x="${(LEFT + right) / 2}" y="${HEIGHT - 14}" text-anchor="middle">${x}</text>`,
    `<text transform="translate(18 ${(TOP + HEIGHT - BOTTOM) / 2}) rotate(-90)" text-anchor="middle">${y}</text>`,
    ...ticks.flatMap((tick) => [
      `<path d="M${LEFT} ${up(tick).toFixed(1)}H${right}" stroke="#ddd"/>`,
      `<text x="${LEFT - 8}" y="${(up(tick) + 4).toFixed(1)}" text-anchor="end">${tick.toLocaleString("en-US").replaceAll(",", " ")}</text>`,
    ]),
    ...marks.flatMap(({ text }, index) =>
      text
        .split("\n")
        .map(
          (line, below) =>
            `<text x="${across(index).toFixed(1)}" y="${HEIGHT - BOTTOM + 16 + 14 * below}" text-anchor="middle">${line}</text>`,
        ),
    ),
    ...series.map(({ points, ours, level = false, apart = false }, index) => {
      const placed = points.map((point) => ({ x: placeOf.get(point.x) ?? LEFT, y: up(point.y) }));
      const path = placed.map((at) => `${at.x.toFixed(1)} ${at.y.toFixed(1)}`).join("L");
      const stroke = `stroke="${colourOf(index)}" stroke-width="${ours ? 3 : 1.5}"${level ? ' stroke-dasharray="6 4"' : ""}`;
      const dots = level
        ? []
        : placed.map(
            (at) =>
              `<circle cx="${at.x.toFixed(1)}" cy="${at.y.toFixed(1)}" r="${apart ? 5 : 3.5}"/>`,
          );
      const line = apart ? "" : `<path d="M${path}" fill="none" ${stroke}/>`;
      return `${line}<g fill="${colourOf(index)}">${dots.join("")}</g>`;
    }),
    ...labels(series, (value) => up(value), unit),
  ];
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" font-family="sans-serif" font-size="12">`,
    `<title>${title}</title>`,
    `<rect width="${WIDTH}" height="${HEIGHT}" fill="#fff"/>`,
    ...parts,
    "</svg>\n",
  ].join("\n");
}

/** Each line's name and last value, next to its end. */
function labels(
  series: readonly Series[],
  up: (value: number) => number,
  unit: string,
): readonly string[] {
  const right = WIDTH - RIGHT;
  const last = series.map(({ points }) => points.at(-1)?.y ?? 0);
  const places = labelPlaces(last.map(up), { gap: 18, lowest: HEIGHT - BOTTOM });
  return series.map(({ name, ours }, index) => {
    const value = last[index] ?? 0;
    const place = places[index] ?? 0;
    const lead = `<path d="M${right + 6} ${up(value).toFixed(1)}L${right + 18} ${place.toFixed(1)}" stroke="${colourOf(index)}"/>`;
    const attributes = `x="${right + 23}" y="${(place + 4).toFixed(1)}" font-weight="${ours ? 600 : 400}"`;
    return `${lead}<text ${attributes} fill="${colourOf(index)}">${name}: ${threeDigits(value)}${unit}</text>`;
  });
}

function colourOf(index: number): string {
  return COLOURS[index % COLOURS.length] ?? "#000";
}

/** Round numbers from 0 to above the highest value. */
function steps(highest: number): readonly number[] {
  const power = 10 ** Math.floor(Math.log10(highest));
  const step =
    [0.2, 0.5, 1, 2].map((part) => part * power).find((size) => highest / size <= 7) ?? power;
  return Array.from({ length: Math.ceil(highest / step) + 1 }, (_, index) => index * step);
}

/** Powers of ten around all values. */
function powers(values: readonly number[]): readonly number[] {
  const lowest = Math.floor(Math.log10(Math.min(...values)));
  const highest = Math.ceil(Math.log10(Math.max(...values)));
  return Array.from(
    { length: Math.max(1, highest - lowest) + 1 },
    (_, index) => 10 ** (lowest + index),
  );
}
