import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";

/** Which room imports which, without the arrows that others imply. */
export function arrowsBetween(rooms, source) {
  const roomOf = (file) => {
    const top = file.split("/")[0];
    return rooms.find(({ name }) => name === top)?.name;
  };
  const below = new Map(rooms.map(({ name }) => [name, new Set()]));
  for (const file of sourceFiles(source)) {
    for (const target of importsOf(source, file)) {
      const from = roomOf(file);
      const to = roomOf(target);
      if (from !== undefined && to !== undefined && from !== to) below.get(from).add(to);
    }
  }
  return [...below].flatMap(([from, targets]) =>
    [...targets]
      .filter((to) => ![...targets].some((other) => other !== to && reaches(other, to, below)))
      .map((to) => ({ from, to })),
  );
}

function sourceFiles(source) {
  return readdirSync(source, { recursive: true, encoding: "utf8" })
    .map((name) => name.replaceAll("\\", "/"))
    .filter((name) => /\.tsx?$/.test(name))
    .sort();
}

/** The files that a file imports, types included, by their path in the source folder. */
function importsOf(source, file) {
  const text = readFileSync(join(source, file), "utf8");
  return [...text.matchAll(/(?:(?<!\.)\bfrom|\bimport)\s*\(?\s*"(\.[^"]+)"/g)].map((match) =>
    relative(source, join(source, dirname(file), match[1])).replaceAll("\\", "/"),
  );
}

function reaches(from, to, below) {
  return below.get(from).has(to) || [...below.get(from)].some((next) => reaches(next, to, below));
}
