import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { CATALOGUE, type HostileCase, SECTIONS, type Section } from "./catalogue.ts";

const sources = readdirSync(import.meta.dirname)
  .filter((name) => name.endsWith(".test.ts") && name !== "catalogue.long.test.ts")
  .map((name) => ({ name, text: readFileSync(join(import.meta.dirname, name), "utf8") }));

/** The case numbers in the titles of tests, which are always written `it(caseTitle(12), …`. */
const tested = new Set(
  sources.flatMap(({ text }) =>
    [...text.matchAll(/^\s*it\(\s*caseTitle\((\d+)\b/gm)].map(([, digits]) => Number(digits)),
  ),
);

const isWholly = ({ pending }: HostileCase) =>
  pending !== undefined && !pending.startsWith("in part:");
const numbersOf = (cases: readonly HostileCase[]) => cases.map(({ number }) => number);

it("the catalogue has 92 cases", () => {
  expect(CATALOGUE).toHaveLength(92);
});

it("every case has a test unless it is wholly pending", () => {
  const wanted = CATALOGUE.filter((checkCase) => !isWholly(checkCase));
  expect(numbersOf(wanted.filter(({ number }) => !tested.has(number)))).toEqual([]);
});

it("no case with a test is still marked as wholly pending", () => {
  expect(
    numbersOf(CATALOGUE.filter((checkCase) => isWholly(checkCase) && tested.has(checkCase.number))),
  ).toEqual([]);
});

it("every pending case names what its test comes with", () => {
  const pending = CATALOGUE.flatMap(({ pending: text }) => text ?? []);
  expect(pending.filter((text) => !/\bcomes with \w+/.test(text))).toEqual([]);
});

it("every number in a test title is in the catalogue", () => {
  const known = new Set(numbersOf(CATALOGUE));
  expect([...tested].filter((number) => !known.has(number))).toEqual([]);
});

it("every use of caseTitle is the title of a test", () => {
  const uses = sources.flatMap(({ text }) => [...text.matchAll(/caseTitle\(/g)]);
  const titles = sources.flatMap(({ text }) => [...text.matchAll(/^\s*it\(\s*caseTitle\(\d+\b/gm)]);
  expect(titles).toHaveLength(uses.length);
});

it("no hostile test is skipped", () => {
  const skipping =
    /\b(?:it|test|describe)\.(?:skip|todo|only|fails|skipIf|runIf)\b|\bcontext\.skip\b/;
  expect(sources.filter(({ text }) => skipping.test(text)).map(({ name }) => name)).toEqual([]);
});

it("README.md of this folder is up to date; `npx vitest run test/hostile/catalogue.long.test.ts -u` writes it", async () => {
  await expect(page()).toMatchFileSnapshot(join(import.meta.dirname, "README.md"));
});

function page(): string {
  const sections = Object.entries(SECTIONS).map(([section, heading]) => {
    const cases = CATALOGUE.filter((checkCase) => checkCase.section === (section as Section));
    return [`## ${heading}`, "", ...table(cases), ""].join("\n");
  });
  return `${INTRODUCTION}\n${sections.join("\n")}`;
}

const INTRODUCTION = `# Hostile inputs

<!-- Generated from test/hostile/catalogue.ts: change it there, then \`npx vitest run test/hostile/catalogue.long.test.ts -u\`. -->

Inputs that the receiver and the command line survive, and how they respond. The titles of the tests in \`test/hostile/\` begin
with these numbers. [What the receiver answers](../../docs/reference/answers.md) has the rules.

The tests use small numbers; with \`HOOKPORTER_LONG=1\`, up to a million.
`;

function table(cases: readonly HostileCase[]): readonly string[] {
  const rows = cases.map(({ number, input, answer, pending }) => {
    return `| ${number} | ${cell(input)} | ${cell([answer, pending ?? []].flat().join("; "))} |`;
  });
  return ["| # | input | answer |", "|---|---|---|", ...rows];
}

function cell(text: string): string {
  return text.replaceAll("|", "\\|");
}
