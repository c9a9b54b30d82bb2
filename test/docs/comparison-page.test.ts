import { expect, it } from "vitest";
import { readPage, rowsOf, sectionOf } from "./markdown.ts";

const page = readPage("docs/comparison.md");
const measured = sectionOf(page, "Measured");
const minute = readPage("docs/first-minute.md");
const performance = readPage("docs/performance.md");

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
  const perSecond = (name: string) => {
    const row = rowsOf(performance).find(([cell, count = ""]) => cell === name && /^\d/.test(count)) ?? [];
    return Number(row[1]?.replaceAll(" ", ""));
  };
  const ratio = perSecond("octokit") / perSecond("hookporter node, durable");
  expect(rowsOf(measured)[0]?.slice(1)).toEqual([ratio.toFixed(1), "–", "–", "1"]);
});
