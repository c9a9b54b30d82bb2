import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { ENTRY_STATES } from "../../src/inbox/entry-state.ts";
import { quoted, readPage, root, rowsOf, sectionOf } from "./markdown.ts";

/** Every name in the source, in lower case: comments and texts use words freely. */
const names = new Set(
  readdirSync(join(root, "src"), { recursive: true, encoding: "utf8" })
    .filter((name) => /\.tsx?$/.test(name))
    .map((name) => readFileSync(join(root, "src", name), "utf8"))
    .map((code) => code.replaceAll(/\/\*[\s\S]*?\*\/|\/\/[^\n]*|"[^"\n]*"/g, ""))
    .flatMap((code) => code.match(/[A-Za-z]\w*/g) ?? [])
    .map((name) => name.toLowerCase()),
);

const page = readPage("docs/glossary.md");
const words = rowsOf(page).flatMap(([cell = ""]) => cell.replaceAll("`", "").split(", "));

/** Words of the concepts of which the code has more to say. */
const TWO_PLACES = ["entry", "retry", "target"];

it("each word of the glossary is in a name of the code", () => {
  expect(words.length).toBeGreaterThan(20);
  const used = (word: string) =>
    [...names].some((name) => name.includes(word.replaceAll(" ", "").toLowerCase()));
  expect(words.filter((word) => !used(word))).toEqual([]);
});

it("a word is explained in the concepts or in the glossary, not in both", () => {
  const concepts = [...readPage("docs/concepts.md").matchAll(/\*\*([^*]+)\*\*/g)].map(
    ([, word = ""]) => word,
  );
  expect(concepts.length).toBeGreaterThan(30);
  expect(words.filter((word) => concepts.includes(word) && !TWO_PLACES.includes(word))).toEqual([]);
});

it("the glossary has each word once, and all states of an entry", () => {
  expect(words.filter((word, index) => words.indexOf(word) !== index)).toEqual([]);
  const [, entry = ""] = rowsOf(page).find(([word]) => word === "entry") ?? [];
  expect(quoted(entry)).toEqual(Object.keys(ENTRY_STATES));
});

it("the concepts list every state of an entry with its meaning, and no other", () => {
  const states = rowsOf(sectionOf(readPage("docs/concepts.md"), "Entry"));
  expect(states.map(([state = "", meaning]) => [quoted(state)[0], meaning])).toEqual(
    Object.entries(ENTRY_STATES),
  );
});
