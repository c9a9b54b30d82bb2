import type { Server } from "../server/server.ts";
import type { Round, Stage } from "../stage.ts";

/**
 * Rounds of one load on several servers, each in its turn, so that what else the machine does meets all of them alike.
 * Each is warmed up first.
 */
export async function interleave(
  stage: Stage,
  servers: readonly Server[],
  load: { size: number; connections: number; seconds: number; rounds: number },
): Promise<readonly (readonly Round[])[]> {
  const rounds: Round[][] = servers.map(() => []);
  for (const server of servers) await stage.warmUp(server, load);
  for (let round = 0; round < load.rounds; round++) {
    for (const [index, server] of servers.entries()) rounds[index]?.push(await stage.load(server, load));
  }
  return rounds;
}
