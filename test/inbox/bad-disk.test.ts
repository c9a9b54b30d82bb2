import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { sqliteInbox } from "../../src/inbox/sqlite.ts";
import { smallDisk } from "../small-disk.ts";
import { keep, numberedEntry, sampleDelivery, settlementOf } from "./entries.ts";
import { open } from "./sqlite/opened.ts";

/** The same folder through a read-only mount. */
function readOnlyView(folder: string): string | undefined {
  const view = mkdtempSync(join(tmpdir(), "hookporter-view-"));
  const bound = spawnSync("mount", ["--bind", folder, view]).status === 0;
  onTestFinished(() => {
    if (bound) spawnSync("umount", ["-l", view]);
    rmSync(view, { recursive: true, force: true });
  });
  return bound && spawnSync("mount", ["-o", "remount,bind,ro", view]).status === 0
    ? view
    : undefined;
}

it("[case 67] an inbox on a full disk refuses entries, keeps the others, and continues once there is room", async (context) => {
  const disk = smallDisk(context, 4);
  const path = join(disk, "inbox.db");
  writeFileSync(join(disk, "ballast"), Buffer.alloc(2_500_000));
  const inbox = sqliteInbox(path);
  await inbox.open();
  onTestFinished(() => inbox.close().catch(() => {}));
  const entryOf = (number: number) => {
    const delivery = sampleDelivery({ body: Buffer.alloc(40_000, number) });
    return { ...numberedEntry(number), delivery };
  };
  const kept: number[] = [];
  const codes = new Set<string>();
  for (let number = 0; number < 60; number++) {
    await keep(inbox, entryOf(number)).then(
      () => kept.push(number),
      (error) => codes.add(error.code),
    );
  }
  expect(kept.length).toBeGreaterThan(3);
  expect(kept.length).toBeLessThan(60);
  expect([...codes]).toEqual(["disk_full"]);
  expect(await inbox.list({})).toHaveLength(kept.length);

  rmSync(join(disk, "ballast"));
  await keep(inbox, entryOf(99));
  expect(await inbox.list({})).toHaveLength(kept.length + 1);
  for (const { seq } of await inbox.list({}))
    expect((await inbox.delivery(seq))?.body).toHaveLength(40_000);
  await inbox.close();

  const again = await open(path);
  expect(await again.list({})).toHaveLength(kept.length + 1);
  const [first] = await again.claim({ now: Date.now(), limit: 1, leaseTime: 1000 });
  if (first === undefined) throw new Error("expected a due entry");
  expect(await again.settle(settlementOf(first), Date.now())).toBe(true);
});

it("[case 71] an inbox on a read-only file system is refused and left unchanged", async (context) => {
  const disk = smallDisk(context, 4);
  const view = readOnlyView(disk);
  if (view === undefined) return context.skip("needs the right to mount a file system");
  const inbox = await open(join(disk, "inbox.db"));
  await keep(inbox, numberedEntry(1));
  for (const name of ["inbox.db", "another.db"]) {
    await expect(sqliteInbox(join(view, name)).open()).rejects.toMatchObject({
      code: "inbox_unavailable",
    });
  }
  await keep(inbox, numberedEntry(2));
  expect(await inbox.list({})).toHaveLength(2);
});
