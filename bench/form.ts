import type { ContestantName } from "./contestants/all.ts";

/** What can be measured, and asked for by itself. */
export const SECTIONS = ["loads", "ageing", "handling", "pending", "start-up", "replay"] as const;

/** How much is measured. */
export interface Form {
  readonly name: "short" | "long";
  /** Loads of signed deliveries on an empty inbox: who, how large, over how many connections, how often, how long. */
  readonly loads: readonly LoadPlan[];
  /** Entries present in the inboxes of the ageing section. */
  readonly aged: readonly number[];
  /** Rounds, and seconds of each, of the ageing and the handling sections. */
  readonly rounds: number;
  readonly seconds: number;
  /** Entries that wait in the inbox of the memory section. */
  readonly pending: number;
  readonly startups: number;
  readonly fixtures: number;
}

/** Rounds of one load, the contestants in turn. */
export interface LoadPlan {
  readonly size: number;
  readonly connections: number;
  readonly contestants: readonly ContestantName[];
  readonly rounds: number;
  readonly seconds: number;
}

const OURS = ["hookporter express", "hookporter node"] as const;
const NO_STORE = ["hookporter express, no store", "hookporter node, no store"] as const;
const PEERS = ["express plain", "node:http bare", "octokit", "fastify", "hono"] as const;
const FEW = [...OURS, "express plain", "node:http bare"] as const;

/** What fits into three minutes. */
export const SHORT: Form = {
  name: "short",
  loads: [
    { size: 600, connections: 64, contestants: [...OURS, ...NO_STORE, ...PEERS], rounds: 3, seconds: 1 },
    {
      size: 600,
      connections: 1,
      contestants: [...OURS, ...NO_STORE, "express plain"],
      rounds: 3,
      seconds: 1,
    },
    {
      size: 600,
      connections: 256,
      contestants: [...OURS, ...NO_STORE, "express plain"],
      rounds: 3,
      seconds: 1,
    },
    { size: 8_000, connections: 64, contestants: FEW, rounds: 2, seconds: 1 },
    { size: 200_000, connections: 64, contestants: FEW, rounds: 2, seconds: 1 },
  ],
  aged: [0, 1_000_000],
  rounds: 3,
  seconds: 1,
  pending: 100_000,
  startups: 9,
  fixtures: 10_000,
};

const EVERYBODY = [...OURS, ...NO_STORE, ...PEERS] as const;

/** The whole. */
export const LONG: Form = {
  name: "long",
  loads: [
    ...[64, 1, 256].map((connections) => load(600, connections, 7, 4)),
    ...[4, 16].map((connections) => load(600, connections, 5, 3)),
    ...[1, 64, 256].map((connections) => load(8_000, connections, 5, 2)),
    ...[1, 64, 256].map((connections) => load(200_000, connections, 3, 2)),
  ],
  aged: [0, 1_000_000, 10_000_000],
  rounds: 7,
  seconds: 4,
  pending: 1_000_000,
  startups: 31,
  fixtures: 10_000,
};

function load(size: number, connections: number, rounds: number, seconds: number): LoadPlan {
  return { size, connections, rounds, seconds, contestants: EVERYBODY };
}
