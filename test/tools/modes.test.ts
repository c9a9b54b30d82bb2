import { readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import config from "../../vitest.config.ts";
import { root } from "../docs/markdown.ts";

/** The patterns that a pattern with braces stands for. */
function expanded(pattern: string): readonly string[] {
  const braces = /\{([^{}]*)\}/.exec(pattern);
  if (braces === null) return [pattern];
  const [whole, choices = ""] = braces;
  return choices.split(",").flatMap((choice) => expanded(pattern.replace(whole, choice)));
}

it.each([
  ["system", 100],
  ["long", 20],
])(
  "each name among the tests of the mode %s is one of a file, so that a moved one is not left out unseen",
  async (mode, least) => {
    const { test } = await (config as (env: object) => { test: { include: readonly string[] } })({
      mode,
    });
    const files = readdirSync(join(root, "test"), { recursive: true }).map((path) =>
      join("test", String(path)).replaceAll("\\", "/"),
    );
    const patterns = test.include.flatMap(expanded);
    expect(patterns.length).toBeGreaterThan(least);
    const isThere = (pattern: string) => {
      const regex = new RegExp(`^${pattern.replaceAll(".", "\\.").replaceAll("*", "[^/]*")}$`);
      return files.some((file) => regex.test(file));
    };
    expect(patterns.filter((pattern) => !isThere(pattern))).toEqual([]);
  },
);
