import { PAGE, readPage, writePage } from "./pages.ts";

// The first byte of a page of a table, and its byte in the pointer map.
const INTERIOR = 5;
const LEAF = 13;
const BELOW = 5;
/** Pages that one page of the pointer map describes, in five bytes each. */
const MAPPED = Math.floor(PAGE / 5);

/**
 * Rebuilds the interior pages of tables that cannot be read. A file that gives free pages back has
 * a pointer map with the parent of each page, and the leaves have the numbers of the rows.
 *
 * @param file - open to read and write, without a log
 * @returns a function that mends a table, by the page that leads to all others of it. It returns
 * how many pages were rebuilt, and the highest number of a row that can be read
 */
export function treeMender(file: number, pages: number) {
  const mapped = childrenByParent(file, pages);
  const seen = new Set<number>();
  return (root: number) => {
    let rebuilt = 0;
    /** The highest number of a row below a page; -1 if no row is readable. */
    const mend = (page: number): number => {
      const bytes = readPage(file, page);
      const own = mapped.get(page) ?? [];
      const last = own.length === 0 ? lastOfLeaf(bytes) : -1;
      if (last >= 0 || seen.has(page)) return last;
      seen.add(page); // a damaged page may lead back to one above it
      const children = childrenIn(bytes, pages);
      if (children !== undefined) return Math.max(...children.map(mend));
      const found = own.map((child) => ({ child, below: mend(child) }));
      const left = found.filter(({ below }) => below >= 0).sort((a, b) => a.below - b.below);
      const made = left.length === 0 ? undefined : interiorPage(left);
      if (made === undefined) return -1;
      writePage(file, page, made);
      rebuilt++;
      return left.at(-1)?.below ?? -1;
    };
    return { last: mend(root), rebuilt };
  };
}

/**
 * The positions of a page's cells, in order; `undefined` if it is no page of this type, whose
 * header begins at `start`.
 */
function cellsOf(
  bytes: Buffer,
  type: number,
  length: number,
  start = 0,
): readonly number[] | undefined {
  const count = bytes.readUInt16BE(start + 3);
  const content = start + length + 2 * count;
  if (bytes[start] !== type || content > PAGE) return undefined;
  const cells = Array.from({ length: count }, (_, at) =>
    bytes.readUInt16BE(start + length + 2 * at),
  );
  return cells.every((at) => at >= content && at < PAGE - 4) ? cells : undefined;
}

/** The number of the last row of a leaf, 0 if it has none; -1 if it is no leaf. */
function lastOfLeaf(bytes: Buffer): number {
  const cells = cellsOf(bytes, LEAF, 8);
  const last = cells?.at(-1);
  if (last === undefined) return cells === undefined ? -1 : 0;
  const [, afterSize] = readNumber(bytes, last);
  return readNumber(bytes, afterSize)[0];
}

/**
 * The pages that an interior page leads to; `undefined` if it is none. The first page has its
 * header after the file's.
 */
export function childrenIn(bytes: Buffer, pages: number, start = 0): readonly number[] | undefined {
  const cells = cellsOf(bytes, INTERIOR, 12, start);
  const children = cells && [
    ...cells.map((at) => bytes.readUInt32BE(at)),
    bytes.readUInt32BE(start + 8),
  ];
  return children?.every((page) => page > 2 && page <= pages) ? children : undefined;
}

/** The pages below each interior page, by the pointer map. */
function childrenByParent(file: number, pages: number): ReadonlyMap<number, readonly number[]> {
  const children = new Map<number, number[]>();
  for (let map = 2; map <= pages; map += MAPPED + 1) {
    const bytes = readPage(file, map);
    for (let index = 0; index < MAPPED; index++) {
      if (bytes[5 * index] !== BELOW) continue;
      const parent = bytes.readUInt32BE(5 * index + 1);
      const known = children.get(parent);
      if (known === undefined) children.set(parent, [map + 1 + index]);
      else known.push(map + 1 + index);
    }
  }
  return children;
}

/**
 * An interior page: it leads to each child, with the highest number below it, and to the last one
 * in its header; `undefined` if it has no room for them, as the pointer map is damaged too.
 */
function interiorPage(children: readonly { readonly child: number; readonly below: number }[]) {
  const bytes = Buffer.alloc(PAGE);
  const cells = children.slice(0, -1);
  let start = PAGE;
  for (const [index, { child, below }] of cells.entries()) {
    const number = numberBytes(below);
    start -= 4 + number.length;
    if (start < 12 + 2 * cells.length) return undefined;
    bytes.writeUInt32BE(child, start);
    bytes.set(number, start + 4);
    bytes.writeUInt16BE(start, 12 + 2 * index);
  }
  bytes[0] = INTERIOR;
  bytes.writeUInt16BE(cells.length, 3);
  bytes.writeUInt16BE(start, 5);
  bytes.writeUInt32BE(children.at(-1)?.child ?? 0, 8);
  return bytes;
}

/**
 * A number in seven bits a byte, and the position after it. Numbers of rows take at most eight
 * bytes.
 */
function readNumber(bytes: Buffer, from: number): readonly [number, number] {
  let number = 0;
  for (let at = from; ; at++) {
    const byte = bytes[at] ?? 0;
    number = number * 128 + (byte & 127);
    if (byte < 128 || at === from + 7) return [number, at + 1];
  }
}

function numberBytes(number: number): readonly number[] {
  const bytes = [number % 128];
  for (let rest = Math.floor(number / 128); rest > 0; rest = Math.floor(rest / 128)) {
    bytes.unshift(128 + (rest % 128));
  }
  return bytes;
}
