import fs, { writeFileSync } from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { join } from "node:path";
import { afterEach, expect, it, vi } from "vitest";
import { disk } from "../../../src/cli/doctor/disk.ts";
import type { Setup } from "../../../src/cli/doctor/setup.ts";
import { smallDisk } from "../../small-disk.ts";
import { tempFolder } from "../fake-io.ts";

const { fdatasync, fdatasyncSync } = fs;

afterEach(() => {
  Object.assign(fs, { fdatasync, fdatasyncSync });
  syncBuiltinESMExports();
});

const setupOf = (file: string) =>
  ({ inbox: { file }, file: async () => undefined }) as unknown as Setup;

it("a slow flush is waited for while other checks go on, and measured before the folder is made", async () => {
  const flushes: (() => void)[] = [];
  const inTheWay = vi.fn();
  Object.assign(fs, {
    fdatasync: (_: number, done: () => void) => void flushes.push(done),
    fdatasyncSync: inTheWay,
  });
  syncBuiltinESMExports();
  const found = disk.run(setupOf(join(tempFolder(), "not", "made", "inbox.db")));
  for (const count of [1, 2, 3, 4, 5]) {
    await vi.waitFor(() => expect(flushes).toHaveLength(count));
    // one that another check delays
    if (count === 1) await new Promise((resolve) => setTimeout(resolve, 300));
    flushes.at(-1)?.();
  }
  expect(await found).toMatchObject([
    { status: "ok", message: expect.stringContaining("a write is flushed in") },
  ]);
  expect(inTheWay).not.toHaveBeenCalled();
});

it("a disk on which a delivery does not fit is a fault, and a nearly full one a warning", async (context) => {
  const folder = smallDisk(context, 6);
  const setup = setupOf(join(folder, "inbox.db"));
  expect(await disk.run(setup)).toMatchObject([{ status: "warn" }]);
  writeFileSync(join(folder, "ballast"), Buffer.alloc(5_000_000));
  expect(await disk.run(setup)).toMatchObject([
    { status: "fail", message: expect.stringContaining("it is answered 503") },
  ]);
});
