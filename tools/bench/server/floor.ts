// Measures what the machine can do at best: `node floor.js '<order as JSON>'` prints the result as
// JSON.
import { createHmac } from "node:crypto";
import { closeSync, fdatasyncSync, openSync, rmSync, writeSync } from "node:fs";
import { bodySource, SECRET } from "../events.ts";
import { median } from "../numbers.ts";
import type { FloorOrder, FloorTimes } from "./measure-floor.ts";

const { path, bytes, size } = JSON.parse(process.argv[2] ?? "") as FloorOrder;
const WRITES = 200;
const CALLS = 20_000;
const PARTS = 5;

/** Median times of writes in place, so that no flush has to extend the file too. */
function writes(): Pick<FloorTimes, "pwriteMs" | "flushMs"> {
  const file = openSync(path, "w+");
  const content = Buffer.alloc(bytes, 1);
  for (let index = 0; index < WRITES; index++) writeSync(file, content, 0, bytes, index * bytes);
  fdatasyncSync(file);
  const written: number[] = [];
  const flushed: number[] = [];
  for (let index = 0; index < WRITES; index++) {
    const start = performance.now();
    writeSync(file, content, 0, bytes, index * bytes);
    written.push(performance.now() - start);
    fdatasyncSync(file);
    flushed.push(performance.now() - start);
  }
  closeSync(file);
  rmSync(path);
  return { pwriteMs: median(written), flushMs: median(flushed) };
}

/**
 * The microseconds of a call: the median of several series, of which the first makes the code warm.
 */
function micros(call: (index: number) => unknown): number {
  const series = Array.from({ length: PARTS + 1 }, () => {
    const start = performance.now();
    for (let index = 0; index < CALLS; index++) call(index);
    return ((performance.now() - start) / CALLS) * 1000;
  });
  return median(series.slice(1));
}

const { body } = bodySource(size, Date.now())(0);
const text = body.toString("utf8");
const found: FloorTimes = {
  ...writes(),
  hmacMicros: micros(() => createHmac("sha256", SECRET).update(body).digest()),
  parseMicros: micros(() => JSON.parse(text)),
};
process.stdout.write(JSON.stringify(found));
