import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { tempFolder } from "../../../cli/fake-io.ts";
import { change, damage, fileOf, PAGE, rootOf, salvage, seqsOf } from "./damaged-file.ts";

const NO_LIST = ["its list of tables could not be read"];

/** The pages of the list of tables. */
function listPages(path: string): readonly number[] {
  return change(path, "", "SELECT pageno FROM dbstat WHERE name = 'sqlite_schema'").map(
    ({ pageno }) => Number(pageno),
  );
}

function lose(path: string, pages: readonly number[]): void {
  damage(path, (page) => {
    for (const number of pages) page(number).fill(0x5a);
  });
}

describe("a salvage", () => {
  it.each<[string, (first: Buffer) => unknown]>([
    ["no SQLite file", (first) => first.write("SQLite format 4")],
    ["of pages of another size", (first) => first.writeUInt16BE(512, 16)],
  ])("of a file that is %s, by its header, does not take a size from it", async (_, spoil) => {
    const path = await fileOf(3);
    damage(path, (page) => {
      spoil(page(1));
      page(1).writeUInt32BE(1000, 28);
    });
    const { list, repairs } = await salvage(path);
    expect(seqsOf(list)).toEqual([1, 2, 3]);
    expect(repairs).toEqual(NO_LIST);
  });

  it("of a file whose header has a damaged size, of terabytes, finds every entry", async () => {
    const path = await fileOf(3);
    damage(path, (page) => page(1).writeUInt32BE(0xffff_ffff, 28));
    const { list, repairs } = await salvage(path);
    expect(seqsOf(list)).toEqual([1, 2, 3]);
    expect(repairs).toEqual(NO_LIST);
  });

  it("of a file that ends within a page says that it was cut short", async () => {
    const path = await fileOf(3);
    damage(path, (page) => page(1).fill(0, 28, 32)); // as does a header of an old version of SQLite
    writeFileSync(path, Buffer.alloc(10, 0x5a), { flag: "a" });
    const { list, repairs } = await salvage(path);
    expect(seqsOf(list)).toEqual([1, 2, 3]);
    expect(repairs).toEqual(["the file was cut short"]);
  });

  it.each<[string, (path: string) => unknown]>([
    ["is lost", (path) => lose(path, [rootOf(path, "migration")])],
    ["is empty", (path) => change(path, "DELETE FROM migration")],
  ])(
    "of a file whose list of versions %s, as well as its list of tables, finds every entry",
    async (_, spoil) => {
      const path = await fileOf(3);
      const pages = listPages(path);
      spoil(path);
      lose(path, pages);
      const { list, repairs } = await salvage(path);
      expect(seqsOf(list)).toEqual([1, 2, 3]);
      expect(repairs).toEqual(NO_LIST);
    },
  );

  it.each([
    ["entries", "entry", { rebuilt: [1, 2, 3], withoutDelivery: [] }],
    ["deliveries", "delivery", { rebuilt: [], withoutDelivery: [1, 2, 3] }],
  ])(
    "of a file without its lists and its %s keeps what is left of every entry",
    async (_, table, expected) => {
      const path = await fileOf(3);
      lose(path, [...listPages(path), rootOf(path, "migration"), rootOf(path, table)]);
      const { list, rebuilt, withoutDelivery } = await salvage(path);
      expect(seqsOf(list)).toEqual([1, 2, 3]);
      expect({ rebuilt, withoutDelivery }).toEqual(expected);
    },
  );

  it("of a file whose log is garbage copies what the file has", async () => {
    const path = await fileOf(3);
    writeFileSync(`${path}-wal`, Buffer.alloc(3 * PAGE, 0x5a));
    expect(seqsOf((await salvage(path)).list)).toEqual([1, 2, 3]);
  });

  it.each([1, 3, 60])(
    "refuses %i pages of garbage, names the file, and says what to do",
    async (pages) => {
      const path = join(tempFolder(), "inbox.db");
      writeFileSync(path, Buffer.alloc(pages * PAGE, "garbage "));
      const refusal = await salvage(path).catch((thrown) => thrown);
      expect(refusal).toMatchObject({
        code: "inbox_corrupt",
        message: expect.stringContaining("docs/recovery.md"),
      });
      expect(refusal.message).toContain(`of ${path} to be readable`);
    },
  );

  it("leaves no copy behind, whether there was something to read or not", async () => {
    const path = await fileOf(3);
    const empty = join(tempFolder(), "empty.db");
    writeFileSync(empty, "");
    const folder = join(tempFolder(), "temporary");
    mkdirSync(folder);
    vi.stubEnv("TMPDIR", folder);
    onTestFinished(() => void vi.unstubAllEnvs());
    const salvages = () =>
      readdirSync(folder).filter((name) => name.startsWith("hookporter-salvage-"));
    let during = 0;
    await salvage(path, { onProgress: () => (during = salvages().length) });
    expect(during).toBe(1);
    await expect(salvage(empty)).rejects.toMatchObject({ code: "inbox_corrupt" });
    expect(salvages()).toEqual([]);
  });
});
