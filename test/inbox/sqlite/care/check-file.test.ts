import { readFileSync, writeFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { checkFile } from "../../../../src/inbox/sqlite/care/check-file.ts";
import { changeFile, overwrite } from "../changed-file.ts";
import { fileOf, textOf } from "./file-of.ts";

/** Changes the file, and leaves no log. */
const change = (path: string, sql: string) =>
  changeFile(path, `${sql}; PRAGMA wal_checkpoint(TRUNCATE)`);

const numbers = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, index) => from + index);

describe("a check of every page of an inbox file", () => {
  it("finds nothing in an intact one, however many entries it has", () => {
    expect(checkFile(fileOf(0))).toEqual({ problems: [], unreadable: [], usable: true });
    expect(checkFile(fileOf(501))).toEqual({ problems: [], unreadable: [], usable: true });
  });

  it("names the entries whose delivery is not what was received, up to the last, but at most a hundred", () => {
    const path = fileOf(1001, (seq) => ({ state: seq === 7 ? "waiting" : "handled" }));
    change(
      path,
      `DELETE FROM delivery WHERE seq IN (6, 7); UPDATE delivery SET headers = '{' WHERE seq = 600;
       UPDATE delivery SET body = x'00' WHERE seq = 1001`,
    );
    expect(checkFile(path)).toEqual({ problems: [], unreadable: [7, 600, 1001], usable: true });
    change(path, "UPDATE delivery SET body = x'00' WHERE seq BETWEEN 300 AND 450");
    expect(checkFile(path).unreadable).toEqual([7, ...numbers(300, 398)]);
  });

  it("takes a file for usable if only pages of deliveries are damaged, and names those that were on them", () => {
    const path = fileOf(60);
    overwrite(path, { text: textOf(30) });
    const { problems, unreadable, usable } = checkFile(path);
    expect(usable).toBe(true);
    expect(problems).toContain("table delivery cannot be read");
    expect(unreadable.length).toBeLessThan(25);
    expect(unreadable).toContain(30);
    expect(unreadable).toEqual(numbers(unreadable[0] ?? 0, unreadable.at(-1) ?? 0));
  });

  it("takes pages that only a damaged page of deliveries leads to for a part of that damage", () => {
    const path = fileOf(60);
    overwrite(path, { table: "delivery" });
    const { problems, unreadable, usable } = checkFile(path);
    expect(problems.filter((line) => line.endsWith("never used")).length).toBeGreaterThan(2);
    expect({ unreadable, usable }).toEqual({ unreadable: numbers(1, 60), usable: true });
  });

  it("takes a file for unusable if a page belongs to nothing, and says nothing of its entries", () => {
    const path = fileOf(3);
    change(path, "UPDATE delivery SET body = x'00'");
    const bytes = readFileSync(path);
    const pages = bytes.length / 4096 + 1;
    bytes.writeUInt32BE(pages, 28);
    writeFileSync(`${path}-more`, Buffer.concat([bytes, Buffer.alloc(4096)]));
    const { problems, ...rest } = checkFile(`${path}-more`);
    expect(problems).toContain(`Page ${pages}: never used`);
    expect(rest).toEqual({ unreadable: [], usable: false });
  });

  it.each(["entry", "entry_key", "entry_queue", "runner"])(
    "takes a file for unusable if a page of %s is damaged, beside deliveries or alone",
    (table) => {
      const path = fileOf(3);
      overwrite(path, { table });
      expect(checkFile(path)).toMatchObject({ usable: false, unreadable: [] });
      overwrite(path, { text: textOf(2) });
      expect(checkFile(path)).toMatchObject({ usable: false, unreadable: [] });
    },
  );
});
