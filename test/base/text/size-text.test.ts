import { expect, it } from "vitest";
import { sizeText } from "../../../src/base/text/size-text.ts";

it.each([
  [0, "0 bytes"],
  [1, "1 byte"],
  [1023, "1023 bytes"],
  [1024, "1.0 KiB"],
  [1024 * 1024, "1.0 MiB"],
  [1536 * 1024 ** 3, "1.5 TiB"],
  [2048 * 1024 ** 4, "2048.0 TiB"],
])("%i bytes are %s", (bytes, text) => {
  expect(sizeText(bytes)).toBe(text);
});
