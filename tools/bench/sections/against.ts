import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { ContestantName } from "../contestants/all.ts";
import { digestOf } from "../machine.ts";
import type { Build } from "../places.ts";
import type { Round, Stage } from "../stage.ts";
import { interleave } from "./interleave.ts";
import { type Measured, measured } from "./measured.ts";

/** Two builds of hookporter side by side: this one, now, and another, before. */
export interface Against {
  /** The other build: its version, and a digest of its programs. */
  readonly before: { readonly version: string; readonly build: string };
  readonly compared: readonly Compared[];
}

/**
 * A contestant of both builds. A round is the median of a pair's process, so that all rounds are by
 * different processes.
 */
export type Compared = Readonly<Record<Build, Measured>>;

/** What is compared: the adapters, then parts of their work. */
export const COMPARED = [
  "hookporter node",
  "hookporter express",
  "hookporter node, no schemas",
  "hookporter node, received only",
  "hookporter node, order keys",
] as const satisfies readonly ContestantName[];

/**
 * Two processes of one build differ by a tenth and more, each for its whole life: compilation and
 * garbage collection take different turns. So there are many pairs of fresh processes with a few
 * short rounds each, not many rounds of one pair.
 */
const PAIRS = 7;
const LOAD = { size: 600, connections: 64, warm: 10_000, rounds: 2, seconds: 0.4 };

/** Measures this build and that of another checkout, in about four minutes. */
export async function measureAgainst(
  stage: Stage,
  checkout: string,
  tell: (line: string) => void,
): Promise<Against> {
  const { version } = JSON.parse(readFileSync(join(checkout, "package.json"), "utf8"));
  const before = { version, build: digestOf(join(checkout, "dist")) };
  const rounds = COMPARED.map((): Record<Build, Round[]> => ({ now: [], before: [] }));
  const { size, connections } = LOAD;
  const what = { size, connections, entries: 0 };
  for (let pair = 0; pair < PAIRS; pair++) {
    tell(`against: pair ${pair + 1} of ${PAIRS} of ${COMPARED.length} contestants`);
    const builds: readonly Build[] = pair % 2 === 0 ? ["now", "before"] : ["before", "now"];
    for (const [index, contestant] of COMPARED.entries()) {
      const servers = await Promise.all(builds.map((build) => stage.server(contestant, { build })));
      const all = await interleave(stage, servers, LOAD);
      for (const [turn, build] of builds.entries()) {
        rounds[index]?.[build].push(measured({ ...what, contestant }, all[turn] ?? []));
      }
      await stage.clear();
    }
  }
  return {
    before,
    compared: COMPARED.map((contestant, index) => {
      const of = (build: Build) => measured({ ...what, contestant }, rounds[index]?.[build] ?? []);
      return { now: of("now"), before: of("before") };
    }),
  };
}
