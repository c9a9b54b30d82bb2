import { closeSync, fdatasync, write } from "node:fs";
import { dirname } from "node:path";
import { promisify } from "node:util";
import { describeError } from "../../base/errors.ts";
import { statfsSync } from "../../base/package/builtins.ts";
import { ownCommand } from "../../base/package/own-command.ts";
import { openNameless } from "../../base/system/files.ts";
import { durationText } from "../../base/text/duration-text.ts";
import { sizeText } from "../../base/text/size-text.ts";
import { MIN_FREE_BYTES } from "../../inbox/vitals.ts";
import { DEFAULTS } from "../../receiver/options/settings.ts";
import { nearestFolder } from "../files/nearest-folder.ts";
import { type DoctorCheck, fail, ok, warn } from "./finding.ts";

/** Bytes below which a delivery may not be stored: the largest one, in the log and in the file. */
export const ONE_DELIVERY = 2 * DEFAULTS.bodyLimit;
/** Milliseconds from which flushing is slow: each commit waits for it. */
const SLOW_FLUSH = 250;
/** How many flushes are measured. */
const SAMPLES = 5;
/** Milliseconds after which two flushes are enough. */
const LONG = 2000;

/** What to do if the disk fails: what the file looks like says nothing then. */
export const CHECK_DISK =
  "check the disk, whose errors the system's log (`dmesg`) names; the inbox file may well be whole";

export const disk: DoctorCheck = {
  name: "disk",
  late: "look whether the disk of the inbox hangs, or keep the inbox on a local SSD: pass --inbox",
  run: async ({ inbox: { file: path }, inboxWord, file }) => {
    if (path === undefined) return [];
    const folder = nearestFolder(dirname(path));
    const { logBytes = 0, error } = (await file()) ?? {};
    const flush = await flushTime(folder);
    if (typeof flush === "string" || error?.code === "disk_error") {
      const found =
        typeof flush === "string" ? `when it is written: ${flush}` : "when the inbox is read";
      return [fail(`the disk of ${folder} reports errors ${found}`, CHECK_DISK)];
    }
    const { bavail, bsize } = statfsSync(folder);
    const free = bavail * bsize;
    const needed = 2 * logBytes + MIN_FREE_BYTES;
    const only = `only ${sizeText(free)} are free for the inbox`;
    if (free < ONE_DELIVERY) {
      const found = `${only}, and a delivery may need ${sizeText(ONE_DELIVERY)}: it is answered 503`;
      return [fail(found, `free some space on the disk of ${folder}; pruning needs some itself`)];
    }
    if (free < needed) {
      const fix = `free some space, or prune: ${ownCommand("events prune --older-than 8d", inboxWord)}`;
      return [warn(`${only}, less than ${sizeText(needed)}`, fix)];
    }
    if (flush !== undefined && flush > SLOW_FLUSH) {
      const found = `the disk takes ${durationText(flush)} to flush a write, and so does each commit of the inbox`;
      return [warn(found, "keep the inbox on a local SSD: pass --inbox")];
    }
    const flushed = flush === undefined ? "" : `, a write is flushed in ${durationText(flush)}`;
    return [ok(`${sizeText(free)} free${flushed}`)];
  },
};

/**
 * The shortest time of a flushed write to a file that is gone afterwards, or the disk's error in
 * words; `undefined` if there can be no such file, as on a file system without them, a full or a
 * read-only one. Other checks go on meanwhile, and may make one of the times longer than the disk
 * did.
 */
async function flushTime(folder: string): Promise<number | string | undefined> {
  let file: number | undefined;
  try {
    file = openNameless(folder);
    const block = Buffer.alloc(4096, 1);
    const times: number[] = [];
    for (const began = performance.now(); times.length < SAMPLES; ) {
      const start = performance.now();
      if (times.length > 1 && start - began > LONG) break;
      await promisify(write)(file, block);
      await promisify(fdatasync)(file);
      times.push(performance.now() - start);
    }
    return Math.min(...times);
  } catch (thrown) {
    return (thrown as NodeJS.ErrnoException).code === "EIO" ? describeError(thrown) : undefined;
  } finally {
    if (file !== undefined) closeSync(file);
  }
}
