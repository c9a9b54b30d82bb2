import { crc32, deflateSync, inflateSync } from "node:zlib";

const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);

/**
 * Writes a screenshot, a PNG of 8 bits per channel, again with a palette of 256 colours: a third of
 * the size, or less.
 */
export function withFewColours(png: Uint8Array): Buffer {
  const { width, height, channels, data } = readPng(Buffer.from(png));
  const pixels = unfiltered(inflateSync(data), { width, height, channels });
  const colours = new Map<number, number>();
  for (let at = 0; at < pixels.length; at += channels) {
    const colour = pixels.readUIntBE(at, 3);
    colours.set(colour, (colours.get(colour) ?? 0) + 1);
  }
  const found = [...colours].sort(([, a], [, b]) => b - a).map(([colour]) => colour);
  const kept = distinct(found);
  const places = new Map(found.map((colour) => [colour, nearest(colour, kept).place]));
  const rows = Buffer.alloc(height * (width + 1)); // each begins with 0: no filter
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const colour = pixels.readUIntBE((y * width + x) * channels, 3);
      rows[y * (width + 1) + 1 + x] = places.get(colour) ?? 0;
    }
  }
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 3], 8); // 8 bits per pixel, with a palette
  const colourBytes = Buffer.from(
    kept.flatMap((colour) => [colour >> 16, (colour >> 8) & 255, colour & 255]),
  );
  return Buffer.concat([
    SIGNATURE,
    chunk("IHDR", header),
    chunk("PLTE", colourBytes),
    chunk("IDAT", deflateSync(rows, { level: 9, memLevel: 9 })),
    chunk("IEND", Buffer.alloc(0)),
  ]);
}

function readPng(png: Buffer) {
  const width = png.readUInt32BE(16);
  const height = png.readUInt32BE(20);
  const depth = png[24];
  const type = png[25];
  if (depth !== 8 || (type !== 2 && type !== 6)) {
    throw new Error(
      `expected a PNG of RGB or RGBA with 8 bits, got type ${type} with ${depth} bits`,
    );
  }
  const parts: Buffer[] = [];
  for (let at = 8; at < png.length; ) {
    const length = png.readUInt32BE(at);
    if (png.toString("latin1", at + 4, at + 8) === "IDAT")
      parts.push(png.subarray(at + 8, at + 8 + length));
    at += length + 12;
  }
  return { width, height, channels: type === 2 ? 3 : 4, data: Buffer.concat(parts) };
}

/** The pixels without the filters that PNG puts on rows (PNG specification, section 9). */
function unfiltered(
  filtered: Buffer,
  { width, height, channels }: { width: number; height: number; channels: number },
): Buffer {
  const length = width * channels;
  const pixels = Buffer.alloc(height * length);
  for (let y = 0; y < height; y++) {
    const filter = filtered[y * (length + 1)] ?? 0;
    for (let x = 0; x < length; x++) {
      const at = y * length + x;
      const left = x < channels ? 0 : (pixels[at - channels] ?? 0);
      const up = y === 0 ? 0 : (pixels[at - length] ?? 0);
      const corner = x < channels || y === 0 ? 0 : (pixels[at - length - channels] ?? 0);
      const guess = [0, left, up, (left + up) >> 1, paeth(left, up, corner)][filter] ?? 0;
      pixels[at] = (filtered[at + y + 1] ?? 0) + guess;
    }
  }
  return pixels;
}

function paeth(left: number, up: number, corner: number): number {
  const a = Math.abs(up - corner);
  const b = Math.abs(left - corner);
  const c = Math.abs(left + up - 2 * corner);
  if (a <= b && a <= c) return left;
  return b <= c ? up : corner;
}

/**
 * The first colours that differ enough from those before them, at most 256: a rare colour of a mark
 * is kept, a shade is not.
 */
function distinct(colours: readonly number[]): readonly number[] {
  for (let least = 0; ; least += 10) {
    const kept: number[] = [];
    for (const colour of colours) {
      if (kept.length > 256) break;
      if (nearest(colour, kept).distance > least) kept.push(colour);
    }
    if (kept.length <= 256) return kept;
  }
}

/** The place of the nearest colour in a palette, and the square of its distance. */
function nearest(colour: number, palette: readonly number[]): { place: number; distance: number } {
  let found = 0;
  let least = Number.POSITIVE_INFINITY;
  for (const [place, other] of palette.entries()) {
    const distance = [16, 8, 0].reduce(
      (sum, shift) => sum + (((colour >> shift) & 255) - ((other >> shift) & 255)) ** 2,
      0,
    );
    if (distance < least) [found, least] = [place, distance];
  }
  return { place: found, distance: least };
}

function chunk(type: string, data: Buffer): Buffer {
  const framed = Buffer.alloc(data.length + 12);
  framed.writeUInt32BE(data.length, 0);
  framed.write(type, 4, "latin1");
  framed.set(data, 8);
  framed.writeUInt32BE(crc32(framed.subarray(4, data.length + 8)), data.length + 8);
  return framed;
}
