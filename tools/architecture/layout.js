/** Room between neighbours in a row, and the width that a passing arrow takes. */
const GAP = 26;
const LANE = 10;

/**
 * Places boxes in their rows, so that few arrows cross and most are straight. An arrow that passes
 * rows has a point in each. Returns the places of the boxes by name, and the points between the
 * ends of each arrow.
 */
export function layOut(rows, arrows) {
  const nodes = rows.flatMap((row, at) =>
    row.map(({ name, width }) => ({ name, width, row: at, near: [] })),
  );
  const byName = new Map(nodes.map((node) => [node.name, node]));
  const chains = arrows.map(({ from, to }) => {
    const start = byName.get(from);
    const end = byName.get(to);
    const lanes = [];
    for (let row = start.row + 1; row < end.row; row++)
      lanes.push({ width: LANE, row, near: [], lane: true });
    nodes.push(...lanes);
    const chain = [start, ...lanes, end];
    for (let index = 1; index < chain.length; index++) {
      chain[index - 1].near.push(chain[index]);
      chain[index].near.push(chain[index - 1]);
    }
    return { from, to, lanes };
  });
  const layers = rows.map((_, at) => nodes.filter(({ row }) => row === at));
  order(layers);
  place(layers);
  return { byName, chains };
}

/** Orders each row by where its neighbours are, and keeps the best order that was seen. */
function order(layers) {
  number(layers);
  let best = layers.map((layer) => [...layer]);
  for (let sweep = 0; sweep < 40; sweep++) {
    const down = sweep % 2 === 0;
    for (const layer of down ? layers : [...layers].reverse()) {
      const wanted = new Map(
        layer.map((node) => {
          const side = node.near.filter(({ row }) => (down ? row < node.row : row > node.row));
          return [node, side.length === 0 ? node.at : mean(side.map(({ at }) => at))];
        }),
      );
      layer.sort((a, b) => wanted.get(a) - wanted.get(b) || a.at - b.at);
      number([layer]);
    }
    swap(layers);
    if (crossings(layers) < crossings(best)) best = layers.map((layer) => [...layer]);
    number(layers);
  }
  for (const [index, layer] of best.entries()) layers[index].splice(0, layer.length, ...layer);
  number(layers);
}

/** Swaps neighbours as long as that saves crossings. */
function swap(layers) {
  for (const layer of layers) {
    for (let index = 1; index < layer.length; index++) {
      const before = crossings(layers);
      [layer[index - 1], layer[index]] = [layer[index], layer[index - 1]];
      if (crossings(layers) < before) continue;
      [layer[index - 1], layer[index]] = [layer[index], layer[index - 1]];
    }
  }
  number(layers);
}

function crossings(layers) {
  number(layers);
  let count = 0;
  for (const layer of layers) {
    const edges = layer.flatMap((node) =>
      node.near.filter(({ row }) => row > node.row).map((next) => [node.at, next.at]),
    );
    for (const [index, [a, b]] of edges.entries()) {
      for (const [c, d] of edges.slice(index + 1)) if ((a - c) * (b - d) < 0) count++;
    }
  }
  return count;
}

/**
 * Numbers the nodes of each row, as a share of the row, so that rows of any length can be compared.
 */
function number(layers) {
  for (const layer of layers)
    for (const [index, node] of layer.entries()) node.at = (index + 0.5) / layer.length;
}

/**
 * Gives each node its `x`: near its neighbours, arrows that pass straight, no two boxes closer than
 * the gap.
 */
function place(layers) {
  for (const layer of layers)
    spread(
      layer,
      layer.map(() => 0),
    );
  for (let round = 0; round < 400; round++) {
    for (const layer of round % 2 === 0 ? layers : [...layers].reverse()) {
      spread(
        layer,
        layer.map((node) => (node.near.length === 0 ? node.x : mean(node.near.map(({ x }) => x)))),
      );
    }
  }
  const left = Math.min(...layers.flat().map(({ x, width }) => x - width / 2));
  for (const node of layers.flat()) node.x -= left;
}

/**
 * As near to the wanted places as order and gaps allow: neighbours that want the same place share
 * their mean.
 */
function spread(layer, wanted) {
  let offset = 0;
  const offsets = layer.map((node, index) => {
    if (index > 0) offset += (layer[index - 1].width + node.width) / 2 + GAP;
    return offset;
  });
  const blocks = [];
  for (const [index, node] of layer.entries()) {
    const weight = node.lane ? 3 : 1;
    blocks.push({ sum: (wanted[index] - offsets[index]) * weight, weight, size: 1 });
    while (blocks.length > 1 && value(blocks.at(-2)) > value(blocks.at(-1))) {
      const { sum, weight, size } = blocks.pop();
      const last = blocks.at(-1);
      Object.assign(last, {
        sum: last.sum + sum,
        weight: last.weight + weight,
        size: last.size + size,
      });
    }
  }
  const places = blocks.flatMap((block) => new Array(block.size).fill(value(block)));
  for (const [index, node] of layer.entries()) node.x = places[index] + offsets[index];
}

function value({ sum, weight }) {
  return sum / weight;
}

function mean(numbers) {
  return numbers.reduce((sum, number) => sum + number, 0) / numbers.length;
}
