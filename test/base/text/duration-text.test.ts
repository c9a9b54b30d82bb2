import { expect, it } from "vitest";
import { durationText } from "../../../src/base/text/duration-text.ts";

it.each([
  [0, "0 ms"],
  [0.004, "<0.1 ms"],
  [0.05, "0.1 ms"],
  [0.449, "0.4 ms"],
  [9.96, "10 ms"],
  [12.4, "12 ms"],
  [99.6, "100 ms"],
  [812, "0.8 s"],
  [3000, "3 s"],
  [52_935, "53 s"],
  [240_000, "4 min"],
  [7_200_000, "2 h"],
  [2 * 86_400_000, "2 days"],
  [-5, "0 ms"],
])("%d ms is %s for people", (ms, text) => {
  expect(durationText(ms)).toBe(text);
});
