import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";

const script = join(import.meta.dirname, "..", "..", "tools", "check-release.js");
const REPOSITORY = { type: "git", url: "git+https://github.com/example/hookporter.git" };
const ADDRESSES = { repository: REPOSITORY, bugs: "b", homepage: "h" };

it("a release is published if tag, version and changelog agree", () => {
  expect(check("v1.2.3", { version: "1.2.3", ...ADDRESSES }, "## [1.2.3] - 2030-01-31\n")).toEqual({
    status: 0,
    problems: [],
  });
});

it.each([
  ["a tag of another version", "v1.2.4", ADDRESSES, "## [1.2.3] - 2030-01-31\n", /tag v1\.2\.3/],
  ["a tag without v", "1.2.3", ADDRESSES, "## [1.2.3] - 2030-01-31\n", /tag v1\.2\.3/],
  ["a changelog without the version", "v1.2.3", ADDRESSES, "## [Unreleased]\n", /section/],
  [
    "a changelog of a similar version",
    "v1.2.3",
    ADDRESSES,
    "## [1.2.30] - 2030-01-31\n",
    /section/,
  ],
  ["a changelog without a date", "v1.2.3", ADDRESSES, "## [1.2.3] - unreleased\n", /date/],
])("a release is refused for %s", (_, tag, addresses, changelog, problem) => {
  const { status, problems } = check(tag, { version: "1.2.3", ...addresses }, changelog);
  expect(status).toBe(1);
  expect(problems).toEqual([expect.stringMatching(problem)]);
});

it("a release is refused while package.json names no repository", () => {
  const { status, problems } = check("v1.2.3", { version: "1.2.3" }, "## [1.2.3] - 2030-01-31\n");
  expect(status).toBe(1);
  expect(problems.map((problem) => /"(\w+)"/.exec(problem)?.[1])).toEqual(Object.keys(ADDRESSES));
});

it("a release is refused if the README's relative links would lead nowhere on npm's page", () => {
  const elsewhere = {
    ...ADDRESSES,
    repository: { type: "git", url: "https://git.example.com/hookporter" },
  };
  const { status, problems } = check(
    "v1.2.3",
    { version: "1.2.3", ...elsewhere },
    "## [1.2.3] - 2030-01-31\n",
  );
  expect([status, problems]).toEqual([1, [expect.stringContaining("the README's links")]]);
});

function check(tag: string, manifest: object, changelog: string) {
  const folder = mkdtempSync(join(tmpdir(), "hookporter-release-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  writeFileSync(join(folder, "package.json"), JSON.stringify(manifest));
  writeFileSync(join(folder, "CHANGELOG.md"), `# Changelog\n\n${changelog}`);
  const { status, stderr } = spawnSync(process.execPath, [script, tag], {
    cwd: folder,
    encoding: "utf8",
  });
  return { status, problems: stderr.split("\n").filter((line) => line !== "") };
}
