import { join } from "node:path";
import { CORES, onCores } from "../cores.ts";
import { runCommand } from "../load/run-command.ts";
import { median } from "../numbers.ts";
import { program } from "../places.ts";
import type { Stage } from "../stage.ts";

/**
 * What the machine can do at best, without hookporter: the figures that tell what kind of machine
 * it is.
 */
export interface Floor extends FloorTimes {
  /** Deliveries per second of the bare server, with 64 connections. */
  readonly barePerSecond: number;
  /** Bytes that a lone delivery writes. */
  readonly loneBytes: number;
}

/** Median times of single calls. */
export interface FloorTimes {
  /** Milliseconds to write as many bytes as a lone delivery does; and to flush them too. */
  readonly pwriteMs: number;
  readonly flushMs: number;
  /** Microseconds of the HMAC, and of `JSON.parse`, of a body of 600 bytes. */
  readonly hmacMicros: number;
  readonly parseMicros: number;
}

/** The first argument of the program that measures. */
export interface FloorOrder {
  /** A file on the inboxes' disk. */
  readonly path: string;
  readonly bytes: number;
  readonly size: number;
}

/**
 * From this speed of the bare server on, goals are ratios of throughput; below, of processor time.
 */
const FAST = 40_000;

/** Whether a machine is fast enough for the goals of throughput. */
export function isFast({ barePerSecond }: Floor): boolean {
  return barePerSecond >= FAST;
}

const SIZE = 600;
const ROUNDS = 3;
/** Bytes of an answer, which the system counts as written too. */
export const ANSWER = 200;
/** If the system does not count what is written: five pages of SQLite's log. */
const USUAL_BYTES = 20_600;

/**
 * Measures the machine, the measured Node, and the disk of the stage's folder, in about three
 * seconds.
 */
export async function measureFloor(stage: Stage, tell: (line: string) => void): Promise<Floor> {
  tell("the machine's floor");
  const bare = await stage.server("node:http bare");
  const load = { size: SIZE, connections: 64, seconds: 0.3 };
  await stage.warmUp(bare, load);
  const rates: number[] = [];
  for (let round = 0; round < ROUNDS; round++) rates.push((await stage.load(bare, load)).perSecond);
  const loneBytes = await bytesOfLoneDelivery(stage);
  await stage.clear();
  const order: FloorOrder = { path: join(stage.folder, "floor"), bytes: loneBytes, size: SIZE };
  const command = onCores(CORES.server, [stage.node, program("floor"), JSON.stringify(order)]);
  const times = JSON.parse(await runCommand(command, { timeout: 60_000 })) as FloorTimes;
  return { barePerSecond: median(rates), loneBytes, ...times };
}

async function bytesOfLoneDelivery(stage: Stage): Promise<number> {
  const server = await stage.server("hookporter node, received only");
  const { used, answered } = await stage.load(server, { size: SIZE, connections: 1, seconds: 0.3 });
  if (used.written === undefined || answered === 0) return USUAL_BYTES;
  return Math.max(1, Math.round(used.written / answered) - ANSWER);
}
