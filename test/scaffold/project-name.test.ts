import { expect, test } from "vitest";
import { nameProblem, projectNameOf } from "../../src/scaffold/project-name.ts";

test.each(["a", "my-receiver", "@acme/rent.desk_2", "0x", "x".repeat(214)])(
  "%j can name a project",
  (name) => {
    expect(nameProblem(name)).toBeUndefined();
  },
);

test.each(["@acme", "@acme/", "/x", "a@b", "é", "a:b", "favicon.ico", "-x", "~x"])("%j cannot", (name) => {
  expect(nameProblem(name)).toBeTypeOf("string");
});

test.each([
  ["/home/ada/My Receiver", "my-receiver"],
  ["/home/ada/.hidden", "hidden"],
  ["/home/ada/Été 2026!", "t-2026"],
  ["/home/ada/東京", "my-receiver"],
  ["/", "my-receiver"],
  ["/home/ada/node_modules", "my-receiver"],
  [`/home/ada/${"x".repeat(250)}`, "x".repeat(214)],
])("the folder %j gives a valid name", (directory, name) => {
  expect(projectNameOf(directory)).toBe(name);
  expect(nameProblem(name)).toBeUndefined();
});
