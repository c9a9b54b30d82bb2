import {
  existsSync,
  readdirSync,
  readFileSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import {
  makeFile,
  makeFileSlowly,
  removeLeftovers,
} from "../../../../src/inbox/sqlite/file/new-file.ts";
import { tempFolder } from "../../../cli/fake-io.ts";

let folder: string;
let path: string;

beforeEach(() => {
  folder = tempFolder();
  path = join(folder, "inbox.db");
});

const names = () => readdirSync(folder);

describe("a new file", () => {
  it("is filled under another name, empty and its owner's alone, and has its own once it is complete", () => {
    const fill = (draft: string) => {
      expect([existsSync(path), readFileSync(draft, "utf8")]).toEqual([false, ""]);
      if (process.platform !== "win32") expect(statSync(draft).mode & 0o777).toBe(0o600);
      expect(names()).toEqual([expect.stringMatching(/^inbox\.db-new-[0-9a-f]{12}$/)]);
      writeFileSync(draft, "content");
    };
    expect(makeFile(path, fill)).toBe(true);
    expect([names(), readFileSync(path, "utf8")]).toEqual([["inbox.db"], "content"]);
  });

  it("takes the place of another only if it may", async () => {
    writeFileSync(path, "earlier");
    const fill = (draft: string) => writeFileSync(draft, "later");
    expect(makeFile(path, fill)).toBe(false);
    expect(await makeFileSlowly(path, async (draft) => fill(draft))).toBe(false);
    expect([names(), readFileSync(path, "utf8")]).toEqual([["inbox.db"], "earlier"]);
    expect(makeFile(path, fill, { replace: true })).toBe(true);
    expect([names(), readFileSync(path, "utf8")]).toEqual([["inbox.db"], "later"]);
  });

  it("that cannot be filled leaves nothing, and the error is passed on", async () => {
    const fill = (draft: string) => {
      writeFileSync(`${draft}-journal`, "half");
      throw new Error("disk full");
    };
    expect(() => makeFile(path, fill)).toThrow("disk full");
    await expect(makeFileSlowly(path, async (draft) => fill(draft))).rejects.toThrow("disk full");
    expect(names()).toEqual([]);
  });

  it("is made by one of several that fill theirs at the same time", async () => {
    const makers = ["a", "b"].map((text) =>
      makeFileSlowly(path, async (draft) => {
        writeFileSync(draft, text);
        await Promise.resolve();
      }),
    );
    expect((await Promise.all(makers)).toSorted()).toEqual([false, true]);
    expect(names()).toEqual(["inbox.db"]);
  });
});

it("what a killed process left of a new file is removed after a minute without a change, and nothing else", () => {
  vi.useFakeTimers({ toFake: ["Date"], now: 1_800_000_000_000 });
  onTestFinished(() => void vi.useRealTimers());
  const draft = "inbox.db-new-0123456789ab";
  const young = "inbox.db-new-ba9876543210";
  const others = [
    "inbox.db",
    "inbox.db-wal",
    "inbox.db-new-office",
    `${draft}.db`,
    `other.db-new-0123456789ab`,
  ];
  const files = [draft, `${draft}-journal`, `${draft}-wal`, young, ...others, `x-${draft}`];
  for (const name of files) {
    writeFileSync(join(folder, name), "");
    const changed = name === young ? 1_799_999_940 : 1_799_999_939;
    utimesSync(join(folder, name), changed, changed);
  }
  removeLeftovers(path);
  expect(names().toSorted()).toEqual([...others, young, `x-${draft}`].toSorted());
});
