import { expect, it } from "vitest";
import { askNode } from "../../../bench/server/server-node.ts";

it("asks a Node for its version and its SQLite", () => {
  expect(askNode(process.execPath)).toMatchObject({
    version: process.version,
    sqlite: expect.stringMatching(/^3\.\d+\.\d+ \((node:sqlite|@photostructure\/sqlite)\)$/),
  });
});

it("refuses what is no Node, naming it", () => {
  expect(() => askNode("/nowhere/node")).toThrow("/nowhere/node");
});
