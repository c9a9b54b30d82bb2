import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { ENTRY_STATES } from "../../src/inbox/entry-state.ts";
import { quoted, readPage, root, rowsOf, sectionOf } from "./markdown.ts";

const source = readdirSync(join(root, "src"), { recursive: true, encoding: "utf8" })
  .filter((name) => /\.tsx?$/.test(name))
  .map((name) => readFileSync(join(root, "src", name), "utf8"))
  .join("\n");

const page = readPage("docs/glossary.md");
const words = rowsOf(page).flatMap(([cell = ""]) => cell.replaceAll("`", "").split(", "));

/** Words of the concepts of which the code has more to say. */
const TWO_PLACES = ["entry", "retry", "target"];

/** The word that a room of src/ is about, in the rooms that are about one of the domain. */
const ROOM_WORDS: Readonly<Record<string, string>> = {
  event: "event",
  signature: "signature",
  receiver: "delivery",
  inbox: "entry",
  dispatch: "attempt",
  relay: "replay",
  "relay/tunnel": "tunnel",
  check: "check",
  "service/sandbox": "sandbox",
  "service/client": "subscription",
  "service/stream": "channel",
  "cli/types": "drift",
  inspector: "inspector",
};

it("each word of the glossary has its name in the code", () => {
  const rows = rowsOf(page);
  expect(rows.length).toBeGreaterThan(15);
  const faults = rows.flatMap(([word = "", , names = ""]) => {
    const unknown = quoted(names).filter((name) => !isInCode(name));
    if (quoted(names).length === 0)
      return [`"${word}": expected a name or a file of src/, got none`];
    return unknown.map(
      (name) => `"${word}": expected src/ to export ${name}, or to have that file`,
    );
  });
  expect(faults, "after a rename in src/, change the last column of docs/glossary.md").toEqual([]);
});

it("the word of each room is explained in the concepts or in the glossary", () => {
  const concepts = readPage("docs/concepts.md").replaceAll(/\s+/g, " ");
  const faults = Object.entries(ROOM_WORDS).flatMap(([room, word]) => {
    if (!existsSync(join(root, "src", room)))
      return [`expected a folder src/${room}/ for "${word}"`];
    if (words.includes(word) || concepts.includes(`**${word}**`)) return [];
    return [
      `expected "${word}", the word of src/${room}/, in docs/concepts.md or docs/glossary.md`,
    ];
  });
  expect(faults).toEqual([]);
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
  expect(rowsOf(page).filter(([, meaning = ""]) => !/[.)]$/.test(meaning))).toEqual([]);
});

it("the concepts list every state of an entry with its meaning, and no other", () => {
  const states = rowsOf(sectionOf(readPage("docs/concepts.md"), "Entry"));
  expect(states.map(([state = "", meaning]) => [quoted(state)[0], meaning])).toEqual(
    Object.entries(ENTRY_STATES),
  );
});

/** Whether src/ has a file of this path, or exports this name. */
function isInCode(name: string): boolean {
  if (name.startsWith("src/")) return existsSync(join(root, name));
  return new RegExp(
    `^export (?:async )?(?:function\\*?|class|interface|type|const) ${name}\\b`,
    "m",
  ).test(source);
}
