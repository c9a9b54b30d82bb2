import { expect, test } from "vitest";
import { nameProblem, projectNameOf } from "../../src/scaffold/project-name.ts";

test.each(["a", "my-receiver", "@acme/rent.desk_2", "0x", "x".repeat(214)])(
  "%j is a valid project name",
  (name) => {
    expect(nameProblem(name)).toBeUndefined();
  },
);

test.each(["@acme", "@acme/", "/x", "a@b", "é", "a:b", "favicon.ico", "-x", "~x"])(
  "%j is not",
  (name) => {
    expect(nameProblem(name)).toBeTypeOf("string");
  },
);

test.each([
  ["/home/ada/My Receiver", "my-receiver"],
  ["/home/ada/.hidden", "hidden"],
  ["/home/ada/Été 2026!", "t-2026"],
  ["/home/ada/東京", "my-receiver"],
  ["/", "my-receiver"],
  ["/home/ada/node_modules", "my-receiver"],
  [`/home/ada/${"x".repeat(250)}`, "x".repeat(214)],
])("a valid name is derived from the folder %j", (directory, name) => {
  expect(projectNameOf(directory)).toBe(name);
  expect(nameProblem(name)).toBeUndefined();
});
