import type { ContestantName } from "./contestants/all.ts";

/** What can be measured, and asked for by itself. */
export const SECTIONS = [
  "start-up",
  "loads",
  "slow-disk",
  "ageing",
  "handling",
  "pending",
  "replay",
] as const;

/** A section's name. */
export type SectionName = (typeof SECTIONS)[number];

/** How much is measured. */
export interface Form {
  readonly name: "short" | "long";
  /** Loads of signed deliveries on an empty inbox: who, how large, over how many connections, how often, how long. */
  readonly loads: readonly LoadPlan[];
  /** Entries present in the inboxes of the ageing section. */
  readonly aged: readonly number[];
  /** Rounds, and seconds of each, of the ageing and the slow-disk sections. */
  readonly rounds: number;
  readonly seconds: number;
  /** The same of the handling section: longer, so that what is still to be done at the end weighs little. */
  readonly handling: { readonly rounds: number; readonly seconds: number };
  /** Entries that wait in the inbox of the memory section. */
  readonly pending: number;
  readonly startups: number;
  readonly fixtures: number;
  /** Who is profiled, and for how many seconds. */
  readonly profiled: readonly ContestantName[];
  readonly profileSeconds: number;
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
const EVERYBODY = [...OURS, ...NO_STORE, ...PEERS] as const;
const BESIDE_PLAIN = [...OURS, "express plain"] as const;
const FEW = [...BESIDE_PLAIN, "node:http bare"] as const;
const LONE = [...FEW, "hookporter node, no store"] as const;
const CROWD = [...FEW, ...NO_STORE] as const;

/**
 * What fits into three minutes. Many short rounds rather than few long ones: what else the machine does then meets the
 * rounds that are compared alike.
 */
export const SHORT: Form = {
  name: "short",
  loads: [
    { size: 600, connections: 64, contestants: [...OURS, ...PEERS], rounds: 7, seconds: 0.3 },
    { size: 600, connections: 1, contestants: LONE, rounds: 5, seconds: 0.3 },
    { size: 600, connections: 256, contestants: CROWD, rounds: 5, seconds: 0.3 },
    { size: 8_000, connections: 64, contestants: BESIDE_PLAIN, rounds: 3, seconds: 0.3 },
    { size: 200_000, connections: 64, contestants: BESIDE_PLAIN, rounds: 3, seconds: 1 },
  ],
  aged: [0, 1_000_000],
  rounds: 5,
  seconds: 0.3,
  handling: { rounds: 3, seconds: 1 },
  pending: 100_000,
  startups: 7,
  fixtures: 10_000,
  profiled: FEW,
  profileSeconds: 3,
};

/** The whole. */
export const LONG: Form = {
  name: "long",
  loads: [
    ...[64, 1, 256].map((connections) => ofEverybody({ size: 600, connections, rounds: 15, seconds: 2 })),
    ...[4, 16].map((connections) => ofEverybody({ size: 600, connections, rounds: 7, seconds: 1 })),
    ...[1, 64, 256].map((connections) => ofEverybody({ size: 8_000, connections, rounds: 7, seconds: 1 })),
    ...[1, 64, 256].map((connections) => ofEverybody({ size: 200_000, connections, rounds: 5, seconds: 1 })),
  ],
  aged: [0, 1_000_000, 10_000_000],
  rounds: 15,
  seconds: 2,
  handling: { rounds: 7, seconds: 4 },
  pending: 1_000_000,
  startups: 31,
  fixtures: 10_000,
  profiled: EVERYBODY,
  profileSeconds: 10,
};

function ofEverybody(plan: Omit<LoadPlan, "contestants">): LoadPlan {
  return { ...plan, contestants: EVERYBODY };
}
