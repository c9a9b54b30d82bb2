import { expect, it } from "vitest";
import { ansiToSvg } from "./ansi-to-svg.ts";
import { textsOf, wordsOf } from "./words.ts";

it("two sessions show the same words, whatever their ids, durations and repetitions", () => {
  const first = "10:02:12 #1 handled 9.6 ms evt_1_4fde0e523c61731\nagain in 0.8 s\nagain in 7.8 s";
  const second = "10:02:13 #2 handled 1.2 s evt_1_68448ed8bf17df5\nagain in 6.9 s";
  expect(wordsOf(first)).toBe(wordsOf(second));
});

it("another word or another line is noticed", () => {
  expect(wordsOf("npx hookporter trigger")).not.toBe(wordsOf("hookporter trigger"));
  expect(wordsOf("handled\nin 3 ms")).not.toBe(wordsOf("handled"));
});

it("the texts of a terminal's picture are read from its SVG", () => {
  const svg = ansiToSvg("one  two\n\u001b[32mthree", { columns: 10, title: "a title" });
  expect(textsOf(svg)).toBe("one\ntwo\nthree");
});
