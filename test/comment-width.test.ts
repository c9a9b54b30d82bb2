import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";

const root = join(import.meta.dirname, "..");
const WIDTH = 100;
/**
 * What cannot be broken: tables, instructions to tools, and a single long word such as an address.
 */
const WHOLE = /^\s*(?:\/\/|\*) (?:\||biome-ignore|@ts-|Stryker)|^\s*(?:\/\/|\/?\*+)? ?\S+$/;

/** The formatter breaks code; comments are broken by hand. */
it(`a comment has lines of at most ${WIDTH} characters`, () => {
  const names = execFileSync("git", ["ls-files", "bin", "src", "test", "tools"], {
    cwd: root,
    encoding: "utf8",
  });
  const files = names.split("\n").filter((name) => /\.[jt]sx?$/.test(name));
  expect(files.length).toBeGreaterThan(1000);
  const wide = files.flatMap((name) => {
    let isExample = false;
    return readFileSync(join(root, name), "utf8")
      .split("\n")
      .flatMap((line, index) => {
        if (/^\s*\* ```/.test(line)) isExample = !isExample;
        const isComment = /^\s*(?:\/\/|\/\*\*| \*) /.test(line) && !isExample;
        return isComment && line.length > WIDTH && !WHOLE.test(line)
          ? [`${name}:${index + 1}`]
          : [];
      });
  });
  expect(wide).toEqual([]);
});
