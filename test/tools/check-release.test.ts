import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { tempFolder } from "../cli/fake-io.ts";

const script = join(import.meta.dirname, "..", "..", "tools", "check-release.js");
const REPOSITORY = { type: "git", url: "git+https://github.com/example/hookporter.git" };
const ADDRESSES = { repository: REPOSITORY, bugs: "b", homepage: "h" };

const DATED = "## [1.2.3] - 2030-01-31\n";
const ELSEWHERE = { repository: { type: "git", url: "https://git.example.com/hookporter" } };

it("a release is published if tag, version and changelog agree", () => {
  expect(check("v1.2.3", ADDRESSES, DATED)).toEqual({ status: 0, problems: [] });
});

it.each([
  ["a tag of another version", "v1.2.4", ADDRESSES, DATED, /tag v1\.2\.3/],
  ["a tag without v", "1.2.3", ADDRESSES, DATED, /tag v1\.2\.3/],
  ["a changelog without the version", "v1.2.3", ADDRESSES, "## [Unreleased]\n", /section/],
  ["one of a similar version", "v1.2.3", ADDRESSES, "## [1.2.30] - 2030-01-31\n", /section/],
  ["one without a date", "v1.2.3", ADDRESSES, "## [1.2.3] - unreleased\n", /date/],
  // they would lead nowhere on npm's page
  ["relative links", "v1.2.3", { ...ADDRESSES, ...ELSEWHERE }, DATED, /the README's links/],
])("a release is refused for %s", (_, tag, addresses, changelog, problem) => {
  const { status, problems } = check(tag, addresses, changelog);
  expect([status, problems]).toEqual([1, [expect.stringMatching(problem)]]);
});

it("a release is refused while package.json names no repository", () => {
  const { status, problems } = check("v1.2.3", {}, DATED);
  expect(status).toBe(1);
  expect(problems.map((problem) => /"(\w+)"/.exec(problem)?.[1])).toEqual(Object.keys(ADDRESSES));
});

function check(tag: string, addresses: object, changelog: string) {
  const folder = tempFolder();
  writeFileSync(join(folder, "package.json"), JSON.stringify({ version: "1.2.3", ...addresses }));
  writeFileSync(join(folder, "CHANGELOG.md"), `# Changelog\n\n${changelog}`);
  const { status, stderr } = spawnSync(process.execPath, [script, tag], {
    cwd: folder,
    encoding: "utf8",
  });
  return { status, problems: stderr.split("\n").filter((line) => line !== "") };
}
