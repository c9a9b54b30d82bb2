import { statfsSync } from "node:fs";
import type { ContestantName } from "../contestants/all.ts";
import type { Form } from "../form.ts";
import { type FillOrder, fillInbox } from "../server/fill-inbox.ts";
import type { Round, Stage } from "../stage.ts";
import { interleave } from "./interleave.ts";
import { type Measured, measured, ratio } from "./measured.ts";

const DAY = 86_400_000;

/**
 * Bytes of disk that an entry takes, with its body of 600 bytes and its share of the log; rounded
 * up.
 */
const ENTRY_BYTES = 1500;

/**
 * How much slower a grown receiver is than one with an empty inbox; or why it could not be
 * measured.
 */
export type Growth =
  | { readonly what: string; readonly leftOut: string }
  | {
      readonly what: string;
      /** The goals for both ratios, if there are any. */
      readonly least?: number | undefined;
      readonly p99Most?: number | undefined;
      readonly perSecond: number;
      readonly p99: number;
      /** Compared by round with an empty inbox. */
      readonly ofEmpty: number;
      readonly p99OfEmpty: number;
    };

/** One way in which a receiver grows. */
interface Case {
  readonly what: string;
  readonly least?: number;
  readonly p99Most?: number;
  readonly contestant: ContestantName;
  /** Entries that its inbox has beforehand. */
  readonly fill?: Pick<FillOrder, "count" | "state" | "from">;
  /** The contestant with an empty inbox, if it is not the one that only receives. */
  readonly beside?: ContestantName;
}

function cases({ entries, pending, swept }: Form["growth"]): readonly Case[] {
  const now = Date.now();
  const node = "hookporter node, received only";
  return [
    ...entries.map((count): Case => {
      const fill = { count, state: "dead", from: now - 2 * DAY } as const;
      return { what: `${counted(count)} entries`, least: 0.9, contestant: node, fill };
    }),
    {
      what: `${counted(pending)} pending`,
      least: 0.9,
      contestant: node,
      fill: { count: pending, state: "waiting", from: now - DAY },
    },
    {
      what: "100 order keys",
      least: 0.8,
      contestant: "hookporter node, order keys",
      beside: "hookporter node",
    },
    {
      what: "20 receivers on one file",
      least: 0.85,
      p99Most: 1.3,
      contestant: "hookporter node, 20 receivers on one file",
    },
    { what: "20 receivers on own files", contestant: "hookporter node, 20 receivers on own files" },
    {
      what: `sweep of ${counted(swept)}`,
      least: 0.85,
      contestant: "hookporter node, sweeping",
      fill: { count: swept, state: "dead", from: now - 60 * DAY },
    },
  ];
}

/** Compares each grown receiver with one that has an empty inbox, in alternating rounds. */
export async function measureGrowth(
  stage: Stage,
  { growth, seconds }: Form,
  tell: (line: string) => void,
): Promise<readonly Growth[]> {
  const found: Growth[] = [];
  for (const checkCase of cases(growth)) {
    const bytes = (checkCase.fill?.count ?? 0) * ENTRY_BYTES;
    const free = freeBytes(stage.folder);
    if (bytes > free) {
      const leftOut = `it needs ${gigabytes(bytes)} of disk, and ${gigabytes(free)} are free`;
      tell(`growth: ${checkCase.what} skipped, ${leftOut}`);
      found.push({ what: checkCase.what, leftOut });
      continue;
    }
    tell(`growth: ${checkCase.what}${bytes > 1e9 ? `, up to ${gigabytes(bytes)} of disk` : ""}`);
    found.push(await compared(stage, checkCase, { rounds: growth.rounds, seconds }));
  }
  return found;
}

async function compared(
  stage: Stage,
  { what, least, p99Most, contestant, fill, beside = "hookporter node, received only" }: Case,
  { rounds, seconds }: { rounds: number; seconds: number },
): Promise<Growth> {
  const inbox = stage.newInbox();
  if (fill !== undefined) await fillInbox(stage.node, { inbox, size: 600, ...fill });
  const empty = await stage.server(beside);
  const grown = await stage.server(contestant, { inbox });
  const load = { size: 600, connections: 64, seconds, rounds };
  const [ofGrown = [], ofEmpty = []] = await interleave(stage, [grown, empty], load);
  await stage.clear();
  const measured = middle(contestant, ofGrown);
  const other = middle(beside, ofEmpty);
  const p99OfEmpty = ratio(measured, other, "p99");
  const speed = ratio(measured, other);
  return {
    what,
    least,
    p99Most,
    perSecond: measured.perSecond,
    p99: measured.p99,
    ofEmpty: speed,
    p99OfEmpty,
  };
}

function middle(contestant: ContestantName, rounds: readonly Round[]): Measured {
  return measured({ contestant, size: 600, connections: 64, entries: 0 }, rounds);
}

function freeBytes(folder: string): number {
  const { bavail, bsize } = statfsSync(folder);
  return bavail * bsize;
}

function gigabytes(bytes: number): string {
  return `${(bytes / 1e9).toFixed(0)} GB`;
}

function counted(count: number): string {
  return count >= 1e6 ? `${count / 1e6} million` : `${count / 1000} thousand`;
}
