import { describe, expect, it } from "vitest";
import { decodeUtf8, hasByteOrderMark } from "../../src/event/utf8.ts";

const MARK = [0xef, 0xbb, 0xbf];

describe("decodeUtf8", () => {
  it("[case 23] removes the byte order mark, once", () => {
    expect(decodeUtf8(Uint8Array.from([...MARK, 0x7b, 0x7d]))).toBe("{}");
    expect(decodeUtf8(Uint8Array.from([...MARK, ...MARK]))).toBe("\ufeff");
  });

  it.each([["\uf000"], ["\ufefe"], ["\uff3f"], ["ﻻ"], ["㻿"]])(
    "keeps %j at the start, whose bytes only resemble the mark",
    (text) => {
      expect(hasByteOrderMark(Buffer.from(text))).toBe(false);
      expect(decodeUtf8(Buffer.from(`${text}{}`))).toBe(`${text}{}`);
    },
  );

  it("reads only the part of a buffer that a view covers", () => {
    const all = Buffer.from('{"a":"é"}');
    expect(decodeUtf8(all.subarray(5, 9))).toBe('"é"}'.slice(0, 3));
  });
});

describe("hasByteOrderMark", () => {
  it.each([
    [[]],
    [[0xef]],
    [[0xef, 0xbb]],
    [[0xef, 0xbb, 0x00]],
    [[0xef, 0x00, 0xbf]],
    [[0x00, 0xbb, 0xbf]],
  ])("finds no mark in %j", (bytes) => {
    expect(hasByteOrderMark(Uint8Array.from(bytes))).toBe(false);
  });
});
