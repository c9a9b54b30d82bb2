import { expect, it } from "vitest";
import { ansiToSvg } from "./ansi-to-svg.ts";

const svgOf = (screen: string) => ansiToSvg(screen, { columns: 10, title: "a <test>" });

it("colours last until another escape sequence, also over lines", () => {
  const svg = svgOf("\u001b[32mone\ntwo\u001b[39m  three");
  const texts = [
    ...svg.matchAll(/<text x="([\d.]+)"[^>]*?(?: fill="(#\w+)")? xml:space="preserve">([^<]*)</g),
  ];
  expect(texts.map(([, x, fill, text]) => [x, fill, text])).toEqual([
    ["16.0", "#4ade80", "one"],
    ["16.0", "#4ade80", "two"],
    ["58.0", undefined, "three"],
  ]);
});

it("text is escaped, and no control character is left", () => {
  const svg = svgOf("\u001b[1;2ma < b & c\u001b[0m");
  expect(svg).toContain(">a &lt; b &amp; c</text>");
  expect(svg).toContain("<title>a &lt;test&gt;</title>");
  expect(svg).not.toContain("\u001b");
});
