import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { defineConfig } from "../../src/entries/config.ts";
// @ts-expect-error: a script without types
import { loadedBy } from "../../tools/budgets.js";
import { root } from "../docs/markdown.ts";

it("defineConfig returns the settings as they are", () => {
  const config = {
    forwardTo: ["3000", "payment.*=3001"],
    events: ["payment.*", "lead.created"],
    listen: { port: 4401, timeout: "60s", inspect: undefined },
    "events list": { limit: 10, state: ["dead"] },
    init: { inbox: "postgres" },
  } as const;
  expect(defineConfig(config)).toBe(config);
});

it("the type refuses keys and values that the commands refuse", () => {
  // @ts-expect-error unknown flag
  defineConfig({ prot: 1 });
  // @ts-expect-error a flag that means something different in each command
  defineConfig({ port: 1 });
  // @ts-expect-error unknown kind
  defineConfig({ events: ["payment.recieved"] });
  // @ts-expect-error a flag of another command
  defineConfig({ sign: { port: 1 } });
  // @ts-expect-error one value, not a list
  defineConfig({ role: ["run"] });
  // @ts-expect-error a word in place of a switch
  defineConfig({ sync: "yes" });
  // @ts-expect-error a flag that is gone
  defineConfig({ once: true });
});

it("hookporter/config loads neither the receiver nor a package, and at most 20 kB", () => {
  const loaded: string[] = loadedBy(join(root, "dist", "config.js"));
  const chunks = loaded.slice(1).map((file) => /chunk-([a-z-]+)-[\w-]{8}\.js$/.exec(file)?.[1]);
  const expected = ["builtins", "env-text", "errors", "file-error", "file-trouble", "guards"];
  expect([...new Set(chunks)].sort()).toEqual(
    [
      ...expected,
      "node-check",
      "package",
      "read-project",
      "run-server",
      "try-or",
      "unusable",
    ].sort(),
  );
  const texts = loaded.map((file) => readFileSync(file, "utf8"));
  expect(texts.join("").length).toBeLessThan(20_000);
  expect(texts.join("\n")).not.toMatch(/^import .*"(?!\.|node:)[^"]*";$/m);
});
