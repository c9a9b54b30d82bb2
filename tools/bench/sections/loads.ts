import type { ContestantName } from "../contestants/all.ts";
import type { LoadPlan } from "../form.ts";
import type { Server } from "../server/server.ts";
import type { Stage } from "../stage.ts";
import { interleave } from "./interleave.ts";
import { type Measured, measured } from "./measured.ts";

/** Every contestant under every load, side by side, on inboxes that are empty at first. */
export async function measureLoads(
  stage: Stage,
  plans: readonly LoadPlan[],
  tell: (line: string) => void,
): Promise<readonly Measured[]> {
  const servers = new Map<ContestantName, Server>();
  const results: Measured[] = [];
  for (const { size, connections, contestants, rounds, seconds } of plans) {
    tell(
      `${size} bytes, ${connections} connections: ${contestants.length} contestants, ${rounds} rounds`,
    );
    const taking: Server[] = [];
    for (const name of contestants) {
      const server = servers.get(name) ?? (await stage.server(name));
      servers.set(name, server);
      taking.push(server);
    }
    const all = await interleave(stage, taking, { size, connections, seconds, rounds });
    for (const [index, contestant] of contestants.entries()) {
      results.push(measured({ contestant, size, connections, entries: 0 }, all[index] ?? []));
    }
  }
  await stage.clear();
  return results;
}
