import { parseEnv } from "node:util";
import { expect, test } from "vitest";
import { generateSecret, renderEnvFile } from "../../src/scaffold/env-file.ts";

test("fills in the example's own line and keeps the rest", () => {
  const secret = generateSecret();
  const text = renderEnvFile("# why\nHOOKPORTER_SECRET=\nPORT=1\n", secret);
  expect(text).toBe(`# why\nHOOKPORTER_SECRET=${secret}\nPORT=1\n`);
});

test.each(["", "PORT=1", "PORT=1\n"])("adds the line to an example that has none: %j", (example) => {
  const secret = generateSecret();
  expect(parseEnv(renderEnvFile(example, secret))).toMatchObject({ HOOKPORTER_SECRET: secret });
});

test("draws another secret each time", () => {
  expect(new Set(Array.from({ length: 100 }, generateSecret)).size).toBe(100);
});
