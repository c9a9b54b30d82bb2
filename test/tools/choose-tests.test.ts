import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, it } from "vitest";

interface Given {
  readonly changed: readonly string[];
  readonly tests?: readonly { readonly file: string; readonly imports: readonly string[] }[];
  readonly known?: Readonly<Record<string, number>>;
  readonly time?: number;
  readonly workers?: number;
}

const script = join(import.meta.dirname, "..", "..", "tools", "check", "choose-tests.js");
const { chooseTests } = (await import(pathToFileURL(script).href)) as {
  chooseTests: (given: Required<Given>) => { run: string[]; left: string[] };
};

const TESTS = [
  { file: "test/architecture.test.ts", imports: [] },
  { file: "test/docs/cli-page.test.ts", imports: ["src/event/age.ts"] },
  { file: "test/docs/readme.test.ts", imports: [] },
  { file: "test/docs/tunnel-page.test.ts", imports: [] },
  { file: "test/event/age.test.ts", imports: ["src/event/age.ts", "test/event/sample.ts"] },
  { file: "test/tools/check-release.test.ts", imports: [] },
];

const choose = ({ changed, tests = TESTS, known = {}, time = 10_000, workers = 2 }: Given) =>
  chooseTests({ changed, tests, known, time, workers });

it.each([
  [
    "src/event/age.ts",
    ["test/architecture.test.ts", "test/event/age.test.ts", "test/docs/cli-page.test.ts"],
  ],
  ["src/event/utf8.ts", ["test/architecture.test.ts", "test/event/age.test.ts"]],
  ["src/base/errors.ts", ["test/architecture.test.ts"]],
  ["test/event/age.test.ts", ["test/event/age.test.ts"]],
  ["test/event/sample.ts", ["test/event/age.test.ts"]],
  ["docs/reference/cli/listen.md", ["test/docs/cli-page.test.ts", "test/docs/readme.test.ts"]],
  ["docs/reference/tunnel.md", ["test/docs/readme.test.ts", "test/docs/tunnel-page.test.ts"]],
  ["tools/check-release.js", ["test/tools/check-release.test.ts"]],
  ["LICENSE", []],
])("the check runs the tests nearest to %s first", (changed, tests) => {
  expect(choose({ changed: [changed] })).toEqual({ run: tests, left: [] });
});

it("the check leaves out tests that do not fit into its time, and names them", () => {
  const known = { "test/architecture.test.ts": 700, "test/event/age.test.ts": 11_000 };
  expect(choose({ changed: ["src/event/age.ts"], known })).toEqual({
    run: ["test/architecture.test.ts", "test/docs/cli-page.test.ts"],
    left: ["test/event/age.test.ts"],
  });
  expect(choose({ changed: ["src/event/utf8.ts"], known }).left).toEqual([]);
  const two = { "test/architecture.test.ts": 900, "test/event/age.test.ts": 900 };
  const { run } = choose({ changed: ["src/event/age.ts"], known: two, time: 1000 });
  expect(run).toEqual(["test/architecture.test.ts", "test/event/age.test.ts"]);
});
