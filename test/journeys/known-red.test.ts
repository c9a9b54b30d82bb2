import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { KNOWN_RED } from "./known-red.ts";

it("each known red step belongs to a journey, and is named once", () => {
  const steps = KNOWN_RED.map(({ journey, step }) => `${journey}: ${step}`);
  expect(new Set(steps).size).toBe(steps.length);
  const strays = KNOWN_RED.filter(
    ({ journey }) => !existsSync(join(import.meta.dirname, `${journey}.system.test.ts`)),
  );
  expect(strays).toEqual([]);
});
