import { closeSync, existsSync, fdatasyncSync, writeSync } from "node:fs";
import { dirname } from "node:path";
import { orElse } from "../../base/or-else.ts";
import { openNameless } from "../../base/system/files.ts";
import { SPARE } from "../../inbox/vitals.ts";
import { statfsSync } from "../../package/builtins.ts";
import { ownCommand } from "../../package/own-command.ts";
import { DEFAULTS } from "../../receiver/options/options.ts";
import { durationText } from "../../text/duration-text.ts";
import { sizeText } from "../inbox/size-text.ts";
import { type DoctorCheck, fail, ok, warn } from "./finding.ts";

/** Bytes below which a delivery may not be stored: the largest one, in the log and in the file. */
export const ONE_DELIVERY = 2 * DEFAULTS.bodyLimit;
/** Milliseconds from which flushing is slow: each commit waits for it. */
const SLOW_FLUSH = 250;
/** Flushes that are measured. */
const SAMPLES = 5;

export const disk: DoctorCheck = {
  name: "disk",
  run: async ({ inbox: { file: path }, file }) => {
    const folder = path === undefined ? undefined : dirname(path);
    if (folder === undefined || !existsSync(folder)) return [];
    const { logBytes = 0 } = (await file()) ?? {};
    const { bavail, bsize } = statfsSync(folder);
    const free = bavail * bsize;
    const needed = 2 * logBytes + SPARE;
    const only = `only ${sizeText(free)} are free for the inbox`;
    if (free < ONE_DELIVERY) {
      const found = `${only}, and a delivery may need ${sizeText(ONE_DELIVERY)}: it is answered 503`;
      return [fail(found, `free some space on the disk of ${folder}; pruning needs some itself`)];
    }
    if (free < needed) {
      const fix = `free some space, or prune: ${ownCommand("events prune --older-than 8d")}`;
      return [warn(`${only}, less than ${sizeText(needed)}`, fix)];
    }
    const flush = flushTime(folder);
    if (flush !== undefined && flush > SLOW_FLUSH) {
      const found = `the disk takes ${durationText(flush)} to flush a write, and so does each commit of the inbox`;
      return [warn(found, "keep the inbox on a local SSD: pass --inbox")];
    }
    const flushed = flush === undefined ? "" : `, a write is flushed in ${durationText(flush)}`;
    return [ok(`${sizeText(free)} free${flushed}`)];
  },
};

/** The median time of a flushed write to a file that is gone afterwards; `undefined` if there are none. */
function flushTime(folder: string): number | undefined {
  const file = orElse(() => openNameless(folder), undefined); // the file system has no such files, or is read-only
  if (file === undefined) return undefined;
  try {
    const block = Buffer.alloc(4096, 1);
    const times = Array.from({ length: SAMPLES }, () => {
      const start = performance.now();
      writeSync(file, block);
      fdatasyncSync(file);
      return performance.now() - start;
    });
    return times.sort((a, b) => a - b)[Math.floor(SAMPLES / 2)];
  } catch {
    return undefined;
  } finally {
    closeSync(file);
  }
}
