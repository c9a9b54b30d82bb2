import { layOut } from "./layout.js";

const BOX = 46;
const PITCH = 88;
const MARGIN = 20;
/**
 * Wider than any common sans-serif font sets a letter of this size, so that no text leaves its box.
 */
const LETTER = 6.4;

/**
 * Every colour is drawn on a background of its own: a viewer in dark mode sees dark, any other one
 * sees light.
 */
const STYLE = `
.back{fill:#fff}.box{fill:#f3f4f6;stroke:#6b7280}.path{fill:#dbeafe;stroke:#1d4ed8;stroke-width:2}
.name{fill:#111827;font-weight:600;font-size:14px}.does{fill:#374151;font-size:11px}
.line{fill:none;stroke:#4b5563;stroke-width:1.4}.head{fill:#4b5563}
@media (prefers-color-scheme:dark){.back{fill:#0d1117}.box{fill:#21262d;stroke:#8b949e}.path{fill:#12305f;stroke:#79b8ff}
.name{fill:#f0f6fc}.does{fill:#c9d1d9}.line{stroke:#a0aab4}.head{fill:#a0aab4}}
`;

/** Draws the rooms in their rows, and an arrow from each room to those it imports. */
export function draw(rows, arrows) {
  const sized = rows.map((row) =>
    row.map((room) => ({
      ...room,
      width: Math.max(room.name.length * 8, room.does.length * LETTER) + 20,
    })),
  );
  const { byName, chains } = layOut(sized, arrows);
  const boxes = sized.flat().map((room) => {
    const { x, row } = byName.get(room.name);
    return { ...room, x: x + MARGIN, y: MARGIN + row * PITCH };
  });
  const width = Math.ceil(Math.max(...boxes.map((box) => box.x + box.width / 2)) + MARGIN);
  const lanes = chains.flatMap((chain) => chain.lanes.map(({ x }) => x + 2 * MARGIN));
  const whole = Math.max(width, ...lanes.map(Math.ceil));
  const height = MARGIN * 2 + (rows.length - 1) * PITCH + BOX;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${whole} ${height}" role="img" font-family="sans-serif" text-anchor="middle">`,
    "<title>The rooms of src/, and which imports which</title>",
    `<style>${STYLE}</style>`,
    `<rect class="back" width="${whole}" height="${height}"/>`,
    ...lines(boxes, chains),
    ...boxes.map(box),
    "</svg>",
    "",
  ].join("\n");
}

function box({ name, does, onPath, x, y, width }) {
  const left = round(x - width / 2);
  const middle = round(x);
  return [
    `<rect class="${onPath ? "path" : "box"}" x="${left}" y="${y}" width="${round(width)}" height="${BOX}" rx="6"/>`,
    `<text class="name" x="${middle}" y="${y + 20}">${name}</text>`,
    `<text class="does" x="${middle}" y="${y + 36}">${does}</text>`,
  ].join("");
}

/** Arrows leave and reach a box at places of their own, in the order of their other ends. */
function lines(boxes, chains) {
  const find = (name) => boxes.find((one) => one.name === name);
  const drawn = chains.map(({ from, to, lanes }) => ({
    from: find(from),
    to: find(to),
    inner: lanes.map(({ x, row }) => ({ x: x + MARGIN, y: MARGIN + row * PITCH })),
  }));
  return drawn.map((line) => {
    const { from, to, inner } = line;
    const first = (one) => (one.inner[0] ?? one.to).x;
    const last = (one) => (one.inner.at(-1) ?? one.from).x;
    const start = {
      x: port(
        from,
        line,
        drawn.filter((one) => one.from === from),
        first,
      ),
      y: from.y + BOX,
    };
    const end = {
      x: port(
        to,
        line,
        drawn.filter((one) => one.to === to),
        last,
      ),
      y: to.y - 7,
    };
    const points = [
      start,
      ...inner.flatMap(({ x, y }) => [
        { x, y },
        { x, y: y + BOX },
      ]),
      end,
    ];
    const path = points.slice(1).map((point, index) => curve(points[index], point));
    const x = round(end.x);
    const y = to.y;
    return [
      `<path class="line" d="M${round(start.x)} ${start.y}${path.join("")}"/>`,
      `<path class="head" d="M${x} ${y}l-4.5 -9h9z"/>`,
    ].join("");
  });
}

function port(end, line, lines, other) {
  const order = [...lines].sort((a, b) => other(a) - other(b));
  const step = Math.min(24, (end.width - 24) / lines.length);
  return end.x + (order.indexOf(line) - (lines.length - 1) / 2) * step;
}

function curve(from, to) {
  if (Math.abs(from.x - to.x) < 0.5) return `V${to.y}`;
  const middle = round((from.y + to.y) / 2);
  return `C${round(from.x)} ${middle} ${round(to.x)} ${middle} ${round(to.x)} ${to.y}`;
}

function round(number) {
  return Math.round(number * 10) / 10;
}
