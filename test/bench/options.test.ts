import { resolve } from "node:path";
import { expect, it } from "vitest";
import { LONG, SECTIONS, SHORT } from "../../bench/form.ts";
import { readOptions } from "../../bench/options.ts";

const read = (...argv: string[]) => readOptions(argv, "/root");

it("measures every section of the short form unless told otherwise", () => {
  expect(read()).toMatchObject({ form: SHORT, sections: SECTIONS, node: process.execPath, add: false });
});

it("measures one section of the long form, and adds it to a result", () => {
  expect(read("--long", "--only", "ageing", "--add")).toMatchObject({
    form: LONG,
    sections: ["ageing"],
    add: true,
  });
});

it("measures nothing where it takes profiles", () => {
  expect(read("--profile", "/profiles")).toMatchObject({ sections: [], profile: "/profiles" });
  expect(() => read("--profile", "/profiles", "--only", "loads")).toThrow(TypeError);
});

it("takes a Node by its path from here, or by a name that the system finds", () => {
  expect(read("--node", "./bin/node").node).toBe(resolve("bin/node"));
  expect(read("--node", "node24").node).toBe("node24");
});

it("refuses a section that it does not have", () => {
  expect(() => read("--only", "loads,postgres")).toThrow(TypeError);
});
