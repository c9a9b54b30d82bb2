import { mkdirSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import type { ContestantName } from "../contestants/all.ts";
import type { Form } from "../form.ts";
import { ROOT } from "../places.ts";
import { type Breakdown, breakDown } from "../profile/breakdown.ts";
import { Sources } from "../profile/sources.ts";
import type { Stage } from "../stage.ts";

/** How the receiving thread of a contestant spent its time under full load. */
export interface Profiled extends Breakdown {
  readonly contestant: ContestantName;
  /** Microseconds that the thread was busy per delivery, including the profiler's overhead. */
  readonly micros: number;
}

/**
 * Profiles warm contestants one after another, with 64 connections; writes their CPU profiles to
 * `folder`.
 */
export async function measureProfiles(
  stage: Stage,
  { profiled, profileSeconds: seconds }: Form,
  { folder, tell }: { folder: string; tell: (line: string) => void },
): Promise<readonly Profiled[]> {
  mkdirSync(folder, { recursive: true });
  const sources = new Sources(ROOT);
  const load = { size: 600, connections: 64, seconds };
  const results: Profiled[] = [];
  for (const contestant of profiled) {
    tell(`profile of ${contestant}: ${seconds} s`);
    const server = await stage.server(contestant);
    await stage.warmUp(server, load);
    await server.startProfile();
    const { answered } = await stage.load(server, load);
    const profiles = await server.stopProfile();
    await stage.clear();
    for (const { receives, profile } of profiles) {
      const name = `${contestant.replaceAll(/[^a-z]+/g, "-")}${receives ? "" : "-writer"}.cpuprofile`;
      // opens in Chrome's developer tools
      writeFileSync(join(resolve(folder), name), JSON.stringify(profile));
      if (!receives) continue;
      const found = breakDown(profile, (frame) => sources.fileOf(frame));
      results.push({ contestant, micros: found.busyMicros / answered, ...found });
    }
  }
  return results;
}
