import { crc32, deflateSync, inflateSync } from "node:zlib";
import { expect, it } from "vitest";
import { withFewColours } from "./few-colours.ts";

/** A PNG of 2 × 2 pixels in RGB; its second row has the filter Up. */
function smallPng(): Buffer {
  const header = Buffer.from([0, 0, 0, 2, 0, 0, 0, 2, 8, 2, 0, 0, 0]);
  const rows = Buffer.from([0, 250, 0, 0, 0, 0, 250, 2, 0, 0, 0, 10, 0, 0]);
  const chunk = (type: string, data: Buffer) => {
    const framed = Buffer.concat([Buffer.alloc(4), Buffer.from(type), data, Buffer.alloc(4)]);
    framed.writeUInt32BE(data.length, 0);
    framed.writeUInt32BE(crc32(framed.subarray(4, -4)), framed.length - 4);
    return framed;
  };
  const start = Buffer.from("\x89PNG\r\n\x1a\n", "latin1");
  return Buffer.concat([
    start,
    chunk("IHDR", header),
    chunk("IDAT", deflateSync(rows)),
    chunk("IEND", Buffer.alloc(0)),
  ]);
}

it("a picture keeps its pixels if it has few colours", () => {
  const png = withFewColours(smallPng());
  const at = (type: string) => png.indexOf(type, 0, "latin1");
  const palette = png.subarray(at("PLTE") + 4, at("IDAT") - 8);
  const rows = inflateSync(png.subarray(at("IDAT") + 4, at("IEND") - 8));
  const colours = [...rows].map((place) => [...palette.subarray(place * 3, place * 3 + 3)]);
  expect([colours[1], colours[2], colours[4], colours[5]]).toEqual([
    [250, 0, 0],
    [0, 0, 250],
    [250, 0, 0],
    [10, 0, 250],
  ]);
});
