import { expect, it } from "vitest";
import { CATALOGUE } from "../../src/check/catalogue.ts";
import { readPage, rowsOf, sectionOf } from "./markdown.ts";

const page = readPage("docs/comparison.md");
const measured = sectionOf(page, "Measured");
const minute = readPage("test/first-minute/README.md");
const performance = readPage("docs/performance.md");
const readme = readPage("README.md");

it("the versions and the seconds are those of the first minute", () => {
  const others = rowsOf(minute).filter(([name = ""]) => /^[@\w/]+ \d+\.\d+\.\d+$/.test(name));
  expect(others.length).toBe(3);
  for (const [version = "", ...cells] of others) {
    expect(page).toContain(version);
    expect(rowsOf(measured)[1]).toContain(cells.at(-1));
  }
  const own = rowsOf(minute).filter(([name = ""]) => name.startsWith("`init"));
  const seconds = own.map((cells) => Math.round(Number.parseFloat(cells.at(-1) ?? "")));
  const listen = rowsOf(minute)
    .find(([name = ""]) => name.startsWith("`listen`"))
    ?.at(-1);
  expect(rowsOf(measured)[1]?.at(-1)).toBe(
    `${listen} with \`listen\`, ${Math.min(...seconds)} to ${Math.max(...seconds)} s with a project`,
  );
});

it("the ratio of deliveries per second is that of the performance page", () => {
  const ratio = perSecond("octokit") / perSecond("hookporter node");
  expect(rowsOf(measured)[0]?.slice(1)).toEqual([ratio.toFixed(1), "–", "–", "1"]);
});

it("the README's figures are those of the pages that explain them", () => {
  const promise = sectionOf(readme, "What it promises");
  const drill = /(\d+ kills) .*: (\d+) acknowledged, 0 lost, 0 stuck, (\d+) run twice/;
  const [, kills, acknowledged, twice] = drill.exec(readPage("docs/reference/cli/doctor.md")) ?? [];
  expect(promise).toContain(`${kills} under load: ${acknowledged} events acknowledged, 0 lost`);
  expect(promise).toContain(`${twice} events handled twice`);
  const [, ours20, , , , ours24] = speedOf("hookporter express");
  const [, plain20, , , , plain24] = speedOf("express plain");
  const inPlain = "where plain Express, which stores nothing, does";
  expect(promise).toContain(
    `${thousands(ours20)} on Node 20, ${inPlain} ${thousands(plain20)}; ` +
      `${thousands(ours24)} on Node 24, where it does ${thousands(plain24)}`,
  );
  expect(promise).toContain(`all ${CATALOGUE.length} cases`);
});

/** A number of the table, to the thousand. */
function thousands(number = ""): string {
  return `${Math.round(Number(number.replaceAll(" ", "")) / 1000)} 000`;
}

/** A contestant's row of the table with the speed on both versions of Node. */
function speedOf(name: string): readonly string[] {
  return rowsOf(performance).find(([cell, count = ""]) => cell === name && /^\d/.test(count)) ?? [];
}

function perSecond(name: string): number {
  return Number(speedOf(name)[1]?.replaceAll(" ", ""));
}
