import { expect, it } from "vitest";
import type { HandOnMessage } from "../../src/entries/index.ts";
import { DEFAULTS } from "../../src/hand-on/hand-on.ts";
import { quoted, readPage, rowsOf } from "./markdown.ts";

const rows = rowsOf(readPage("docs/reference/hand-on.md"));

it("the page lists every option of handOn with its default", () => {
  const options = rows
    .filter((row) => row.length === 4)
    .map(([name = "", , value = ""]) => [
      quoted(name)[0] ?? "",
      Number(value.replace(/ \(.*\)$/, "")),
    ]);
  expect(Object.fromEntries(options)).toEqual(DEFAULTS);
});

it("the page lists every field of a message", () => {
  /** The type keeps it complete: an added or removed field does not compile. */
  const fields: Readonly<Record<keyof HandOnMessage, true>> = {
    id: true,
    event: true,
    delivery: true,
    orderKey: true,
    attempt: true,
    seq: true,
  };
  const listed = rows.filter((row) => row.length === 2).map(([name = ""]) => quoted(name)[0]);
  expect(listed).toEqual(Object.keys(fields));
});
