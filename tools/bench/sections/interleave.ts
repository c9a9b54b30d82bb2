import type { Server } from "../server/server.ts";
import type { Round, Sending, Stage, WarmUp } from "../stage.ts";

/**
 * Runs rounds of one load on several servers in turn, so that other load on the machine affects all
 * of them equally. Warms up each first.
 */
export async function interleave(
  stage: Stage,
  servers: readonly Server[],
  load: Sending & WarmUp & { readonly rounds: number },
): Promise<readonly (readonly Round[])[]> {
  const rounds: Round[][] = servers.map(() => []);
  for (const server of servers) await stage.warmUp(server, load);
  for (let round = 0; round < load.rounds; round++) {
    for (const [index, server] of servers.entries())
      rounds[index]?.push(await stage.load(server, load));
  }
  return rounds;
}
