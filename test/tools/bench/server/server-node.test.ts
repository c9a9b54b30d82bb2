import { expect, it } from "vitest";
import { askNode } from "../../../../tools/bench/server/server-node.ts";

it("a Node reports its version and its SQLite", () => {
  expect(askNode(process.execPath)).toMatchObject({
    version: process.version,
    sqlite: expect.stringMatching(/^3\.\d+\.\d+ \((node:sqlite|@photostructure\/sqlite)\)$/),
  });
});

it("a program that is not Node is refused by name", () => {
  expect(() => askNode("/nowhere/node")).toThrow("/nowhere/node");
});
