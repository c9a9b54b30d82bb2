import { resolve } from "node:path";
import { expect, it } from "vitest";
import { AGAINST, LONG, SECTIONS, SHORT } from "../../../tools/bench/form.ts";
import { readOptions } from "../../../tools/bench/options.ts";

const read = (...argv: string[]) => readOptions(argv, "/root");

it("every section of the short form is measured by default, or one of the long form, added to a result", () => {
  const usual = { form: SHORT, sections: SECTIONS, node: process.execPath, add: false };
  expect(read()).toMatchObject(usual);
  const ageing = { form: LONG, sections: ["ageing"], add: true };
  expect(read("--form", "long", "--only", "ageing", "--add")).toMatchObject(ageing);
});

it("nothing is measured while profiles are taken", () => {
  expect(read("--profile", "/profiles")).toMatchObject({ sections: [], profile: "/profiles" });
  expect(() => read("--profile", "/profiles", "--only", "loads")).toThrow(TypeError);
});

it("another build is compared by a form of its own, and nothing else is measured", () => {
  expect(read("--against", "../before")).toMatchObject({
    form: AGAINST,
    sections: ["against"],
    against: resolve("../before"),
  });
  for (const other of [
    ["--form", "short"],
    ["--only", "loads"],
    ["--profile", "/profiles"],
  ]) {
    expect(() => read("--against", "../before", ...other)).toThrow(/--against without --form/);
  }
});

it("Node is given by a relative path, or by a name that the system finds, with its flags", () => {
  expect(read("--node", "./bin/node").node).toBe(resolve("bin/node"));
  expect(read("--node", "node24").node).toBe("node24");
  expect(read("--node", "node24 --max-semi-space-size=32 --single-threaded-gc")).toMatchObject({
    node: "node24",
    nodeFlags: ["--max-semi-space-size=32", "--single-threaded-gc"],
  });
  expect(read("--node", "/a folder/node")).toMatchObject({ node: "/a folder/node", nodeFlags: [] });
});

it("an unknown form or section is refused", () => {
  expect(() => read("--form", "hour")).toThrow(/one of minute, short, long, got hour/);
  expect(() => read("--only", "loads,mysql")).toThrow(TypeError);
});
