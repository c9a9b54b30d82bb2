import type { ContestantName } from "./contestants/all.ts";

/** The sections, which can be measured separately. */
export const SECTIONS = [
  "account",
  "start-up",
  "loads",
  "slow-disk",
  "ageing",
  "pending",
  "growth",
  "replay",
  "floods",
  "postgres",
  "peers",
] as const;

/** A section's name; `against` is measured by `--against` alone. */
export type SectionName = (typeof SECTIONS)[number] | "against";

/** The extent of a run. */
export interface Form {
  readonly name: "short" | "long" | "minute" | "against";
  /** What is measured unless sections are named. */
  readonly sections: readonly SectionName[];
  /**
   * Loads of signed deliveries on an empty inbox: contestants, size, connections, rounds, seconds.
   */
  readonly loads: readonly LoadPlan[];
  /** Entries in the inboxes of the ageing section. */
  readonly aged: readonly number[];
  /** Rounds, and seconds per round, of the ageing and slow-disk sections. */
  readonly rounds: number;
  readonly seconds: number;
  /** Rounds of the account, seconds of each, and of each profile. */
  readonly account: {
    readonly rounds: number;
    readonly seconds: number;
    readonly profileSeconds: number;
  };
  /** Entries that wait in the inbox of the pending section. */
  readonly pending: number;
  /**
   * Entries of the inboxes in the growth section: that ended, that wait, and that a sweep removes;
   * and rounds of each.
   */
  readonly growth: {
    readonly entries: readonly number[];
    readonly pending: number;
    readonly swept: number;
    readonly rounds: number;
  };
  /** Rounds of the peers, seconds of each, and how long they may take after they were killed. */
  readonly peers: { readonly rounds: number; readonly seconds: number; readonly patience: number };
  /** Sizes of the section on PostgreSQL. */
  readonly postgres: PostgresSizes;
  readonly startups: number;
  readonly fixtures: number;
  /** The profiled contestants, and the seconds of each profile. */
  readonly profiled: readonly ContestantName[];
  readonly profileSeconds: number;
}

/** Entries, unless said otherwise. */
export interface PostgresSizes {
  /** In the inbox that is not empty. */
  readonly aged: number;
  /** Times that another process is woken up. */
  readonly wakeUps: number;
  /** Whose dead rows a forgotten transaction pins. */
  readonly pinned: number;
  /** Behind one order key. */
  readonly behind: number;
  /** Entries that are old enough to be pruned. */
  readonly pruned: number;
  /** Waiting for 1, 2 and 4 processes. */
  readonly waiting: number;
}

/** Rounds of one load, with the contestants in turn. */
export interface LoadPlan {
  readonly size: number;
  readonly connections: number;
  readonly contestants: readonly ContestantName[];
  readonly rounds: number;
  readonly seconds: number;
}

const OURS = ["hookporter express", "hookporter node"] as const;
const RECEIVED_ONLY = [
  "hookporter express, received only",
  "hookporter node, received only",
] as const;
const WITHOUT = [...RECEIVED_ONLY, "hookporter node, no schemas"] as const;
const NO_STORE = ["hookporter express, no store", "hookporter node, no store"] as const;
const PEERS = ["express plain", "node:http bare", "octokit", "fastify", "hono"] as const;
const EVERYBODY = [...OURS, ...WITHOUT, ...NO_STORE, ...PEERS] as const;
const BESIDE_PLAIN = [...OURS, "express plain"] as const;
const FEW = [...BESIDE_PLAIN, "node:http bare"] as const;
const LONE = [...FEW, "hookporter node, received only", "hookporter node, no store"] as const;
const CROWD = [...FEW, ...RECEIVED_ONLY, ...NO_STORE] as const;

/**
 * What fits into three minutes. Many short rounds rather than few long ones, so that other load on
 * the machine affects the compared rounds equally.
 */
export const SHORT: Form = {
  name: "short",
  sections: SECTIONS,
  loads: [
    {
      size: 600,
      connections: 64,
      contestants: [...OURS, ...WITHOUT, ...PEERS],
      rounds: 7,
      seconds: 0.5,
    },
    { size: 600, connections: 1, contestants: LONE, rounds: 5, seconds: 0.3 },
    { size: 600, connections: 256, contestants: CROWD, rounds: 5, seconds: 0.3 },
    { size: 8_000, connections: 64, contestants: BESIDE_PLAIN, rounds: 3, seconds: 0.3 },
    { size: 200_000, connections: 64, contestants: BESIDE_PLAIN, rounds: 3, seconds: 1 },
  ],
  aged: [0, 1_000_000],
  rounds: 5,
  seconds: 0.3,
  account: { rounds: 5, seconds: 0.4, profileSeconds: 1.5 },
  pending: 100_000,
  peers: { rounds: 3, seconds: 1, patience: 40 },
  growth: { entries: [100_000], pending: 100_000, swept: 50_000, rounds: 3 },
  postgres: {
    aged: 100_000,
    wakeUps: 30,
    pinned: 80_000,
    behind: 20_000,
    pruned: 20_000,
    waiting: 10_000,
  },
  startups: 7,
  fixtures: 10_000,
  profiled: FEW,
  profileSeconds: 3,
};

/** One load in about a minute, for the thresholds of CI. */
export const MINUTE: Form = {
  ...SHORT,
  name: "minute",
  sections: ["loads"],
  loads: [
    {
      size: 600,
      connections: 64,
      rounds: 9,
      seconds: 0.4,
      contestants: [...FEW, ...WITHOUT, "hookporter node, order keys", "octokit"],
    },
  ],
};

/** Another build beside this one, in about four minutes. */
export const AGAINST: Form = { ...SHORT, name: "against", sections: ["against"] };

/** All measurements. */
export const LONG: Form = {
  name: "long",
  sections: SECTIONS,
  loads: [
    ...[64, 1, 256].map((connections) =>
      ofEverybody({ size: 600, connections, rounds: 15, seconds: 2 }),
    ),
    ...[4, 16].map((connections) => ofEverybody({ size: 600, connections, rounds: 7, seconds: 1 })),
    ...[1, 64, 256].map((connections) =>
      ofEverybody({ size: 8_000, connections, rounds: 7, seconds: 1 }),
    ),
    ...[1, 64, 256].map((connections) =>
      ofEverybody({ size: 200_000, connections, rounds: 5, seconds: 1 }),
    ),
  ],
  aged: [0, 1_000_000, 10_000_000],
  rounds: 15,
  seconds: 2,
  account: { rounds: 15, seconds: 2, profileSeconds: 5 },
  pending: 1_000_000,
  peers: { rounds: 7, seconds: 4, patience: 90 },
  growth: { entries: [10_000_000, 50_000_000], pending: 1_000_000, swept: 1_000_000, rounds: 15 },
  postgres: {
    aged: 1_000_000,
    wakeUps: 200,
    pinned: 80_000,
    behind: 20_000,
    pruned: 40_000,
    waiting: 40_000,
  },
  startups: 31,
  fixtures: 10_000,
  profiled: EVERYBODY,
  profileSeconds: 10,
};

function ofEverybody(plan: Omit<LoadPlan, "contestants">): LoadPlan {
  return { ...plan, contestants: EVERYBODY };
}

/** The forms that `--form` names. */
export const FORMS = { minute: MINUTE, short: SHORT, long: LONG } satisfies Partial<
  Record<Form["name"], Form>
>;
