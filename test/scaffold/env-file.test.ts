import { parseEnv } from "node:util";
import { expect, test } from "vitest";
import { generateSecret, renderEnvFile, setInEnvText } from "../../src/scaffold/env-file.ts";

test("the example's own line is filled in, and the rest is kept", () => {
  const secret = generateSecret();
  const text = renderEnvFile("# why\nHOOKPORTER_SECRET=\nPORT=1\n", secret);
  expect(text).toBe(`# why\nHOOKPORTER_SECRET=${secret}\nPORT=1\n`);
});

test.each(["", "PORT=1", "PORT=1\n"])(
  "the line is added to an example without it: %j",
  (example) => {
    const secret = generateSecret();
    expect(parseEnv(renderEnvFile(example, secret))).toMatchObject({ HOOKPORTER_SECRET: secret });
  },
);

test("each secret is different", () => {
  expect(new Set(Array.from({ length: 100 }, generateSecret)).size).toBe(100);
});

test.each([
  ["A=1\nS=\nB=2\n", "A=1\nS=x\nB=2\n"],
  ["A=1\r\nS=old\r\nB=2", "A=1\r\nS=x\r\nB=2"],
  ["S=\nS=\n", "S=\nS=x\n"],
  ["  export S = old", "  export S=x"],
  ["#S=\nSS=1\nS2=2", "#S=\nSS=1\nS2=2\nS=x\n"],
  ["A=1\r\n", "A=1\r\nS=x\r\n"],
  ["", "S=x\n"],
])("one variable in %j is set, and nothing else changes", (before, after) => {
  expect(setInEnvText(before, "S", "x")).toBe(after);
});
