import { PassThrough } from "node:stream";
import { setTimeout as delay } from "node:timers/promises";
import { expect, it } from "vitest";
import { askAbout } from "../../../src/cli/init/questions.ts";
import type { Io } from "../../../src/cli/io.ts";
import type { Template } from "../../../src/cli/scaffold/templates.ts";

const template = { name: "express", title: "Express 5", inboxes: ["file"] } as unknown as Template;

it.each([
  ["what was typed", "shop", { directory: "shop", name: "shop" }],
  ["what was suggested", "", { directory: "my-receiver", name: "my-receiver" }],
])("takes %s for the folder, and names the project after it", async (_, typed, expected) => {
  const stdin = new PassThrough();
  const stderr = new PassThrough();
  let printed = "";
  stderr.on("data", (chunk) => {
    printed += chunk;
  });
  const io = { cwd: "/home/you", stdin, stderr } as unknown as Io;
  const known = { directory: undefined, name: undefined, template, inbox: undefined };
  const answered = askAbout(known, [template], io);
  for (const [question, keys] of [
    ["Folder of the new project", typed],
    ["Name of the project", ""],
  ] as const) {
    while (!printed.includes(question)) await delay(5);
    stdin.write(`${keys}\r`);
  }
  expect(await answered).toEqual({ ...expected, template, inbox: "file" });
});
