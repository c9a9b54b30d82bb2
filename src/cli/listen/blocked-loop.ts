import { Worker } from "node:worker_threads";
import type { RunningHandlers } from "../handlers/running-handlers.ts";
import type { Io } from "../io.ts";
import { printable } from "../output.ts";

/** Milliseconds without a turn of the event loop after which the handlers that run are named. */
export const BLOCKED = 2000;

/**
 * Milliseconds between two looks of the thread. It counts looks, not time, so that a suspended
 * computer is no blocked loop.
 */
const LOOK = 250;

/** Bytes for the names of the handlers that run. */
const NAMES = 400;

/**
 * What the thread runs: it shares nothing with the program but some memory. A blocked loop hears
 * neither keys nor signals, so while it is blocked, the thread reads the terminal, and ends the
 * process on a second Ctrl-C.
 */
const PROGRAM = `
const { workerData } = require("node:worker_threads");
const { constants, closeSync, openSync, readSync, writeSync } = require("node:fs");
const { shared, looks, look } = workerData;
const state = new Int32Array(shared, 0, 3);
const bytes = new Uint8Array(shared, 12);
let beat = -1, still = 0, keys = 0, tty;
const say = (text) => { try { writeSync(2, text + "\\n"); } catch {} };
const interrupts = () => {
  const typed = Buffer.alloc(64);
  try {
    tty ??= openSync("/dev/tty", constants.O_RDONLY | constants.O_NONBLOCK);
    const length = readSync(tty, typed);
    return typed.subarray(0, length).filter((byte) => byte === 3).length;
  } catch { return 0; }
};
for (;;) {
  if (Atomics.wait(state, 1, 0, look) === "not-equal") break;
  const now = Atomics.load(state, 0);
  if (now !== beat) {
    if (still >= looks) say("the event loop runs again, after " + Math.round((still * look) / 1000) + " s");
    beat = now; still = 0; keys = 0;
    if (tty !== undefined) { closeSync(tty); tty = undefined; }
    continue;
  }
  still++;
  if (still === looks) {
    const names = Buffer.from(bytes).toString("utf8").replace(/\\0.*$/s, "");
    const who = names === "" ? "something" : "the handler of " + names;
    const isRaw = Atomics.load(state, 2) === 1;
    const end = isRaw ? "Ctrl-C twice" : "kill -9 " + process.pid;
    say((isRaw ? "\\n" : "") + who + " has blocked the event loop for " + (looks * look) / 1000 + " s," + (isRaw ? "\\n" : " ") + "so nothing is received or answered: " + end + " ends this process");
  }
  if (still >= looks && Atomics.load(state, 2) === 1) keys += interrupts();
  if (keys >= 2) {
    require("node:child_process").spawnSync("stty", ["sane"], { stdio: "inherit" }); // a killed process leaves its terminal raw
    process.kill(process.pid, "SIGKILL");
  }
}
`;

/**
 * Watches the event loop from another thread. If a handler blocks it, such as an endless loop, the
 * thread names the entries that run. Returns what ends the watch.
 */
export function watchLoop(running: RunningHandlers, { stdin }: Pick<Io, "stdin">): () => void {
  const shared = new SharedArrayBuffer(12 + NAMES);
  const beat = 0;
  const ended = 1;
  const raw = 2;
  const state = new Int32Array(shared, 0, 3);
  const bytes = new Uint8Array(shared, 12);
  const encoder = new TextEncoder();
  const noteRaw = () => {
    const isRaw = (stdin as { readonly isRaw?: boolean }).isRaw === true;
    Atomics.store(state, raw, isRaw ? 1 : 0);
  };
  running.onChange((names) => {
    noteRaw();
    bytes.fill(0);
    encoder.encodeInto(printable(names, NAMES / 4), bytes);
  });
  const workerData = { shared, looks: BLOCKED / LOOK, look: LOOK };
  const resourceLimits = { maxOldGenerationSizeMb: 8, maxYoungGenerationSizeMb: 1 };
  const worker = new Worker(PROGRAM, { eval: true, workerData, resourceLimits });
  worker.on("error", () => {}); // nothing depends on it
  worker.unref();
  const beating = setInterval(() => {
    Atomics.add(state, beat, 1);
    noteRaw();
  }, LOOK);
  beating.unref();
  return () => {
    clearInterval(beating);
    Atomics.store(state, ended, 1);
    Atomics.notify(state, ended);
  };
}
