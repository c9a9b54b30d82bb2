import type { Form } from "../form.ts";
import { fillInbox } from "../server/fill-inbox.ts";
import type { Server } from "../server/server.ts";
import type { Stage } from "../stage.ts";
import { interleave } from "./interleave.ts";
import { type Measured, measured } from "./measured.ts";

const DAY = 86_400_000;

/**
 * The node adapter on increasingly full inboxes, next to plain Express, and how fast each was
 * filled.
 */
export async function measureAgeing(
  stage: Stage,
  { aged, rounds, seconds }: Form,
  tell: (line: string) => void,
): Promise<{
  measured: readonly Measured[];
  filled: readonly { entries: number; perSecond: number }[];
}> {
  const servers: Server[] = [];
  const filled: { entries: number; perSecond: number }[] = [];
  for (const entries of aged) {
    const inbox = stage.newInbox();
    if (entries > 0) {
      tell(`filling an inbox with ${entries} entries`);
      const from = Date.now() - 2 * DAY;
      const perSecond = await fillInbox(stage.node, {
        inbox,
        count: entries,
        state: "dead",
        size: 600,
        from,
      });
      filled.push({ entries, perSecond });
    }
    servers.push(await stage.server("hookporter node, received only", { inbox }));
  }
  servers.push(await stage.server("express plain"));
  tell(`600 bytes, 64 connections, ${aged.join(", ")} entries: ${rounds} rounds`);
  const load = { size: 600, connections: 64, seconds, rounds };
  const all = await interleave(stage, servers, load);
  const results = all.map((some, index) => {
    const entries = aged[index];
    const contestant = entries === undefined ? "express plain" : "hookporter node, received only";
    return measured({ contestant, size: 600, connections: 64, entries: entries ?? 0 }, some);
  });
  await stage.clear();
  return { measured: results, filled };
}
