import type { Form } from "../form.ts";
import { fillInbox } from "../server/fill-inbox.ts";
import type { Stage } from "../stage.ts";

const DAY = 86_400_000;

/** Memory of a receiver, in megabytes, while `entries` entries wait in its inbox. */
export interface PendingMemory {
  readonly entries: number;
  readonly rss: number;
}

/** Measures the memory of entries that wait for their handlers. */
export async function measurePending(
  stage: Stage,
  { pending: entries }: Form,
  tell: (line: string) => void,
): Promise<PendingMemory> {
  tell(`memory with ${entries} pending entries`);
  const inbox = stage.newInbox();
  await fillInbox(stage.node, {
    inbox,
    count: entries,
    state: "waiting",
    size: 600,
    from: Date.now() - DAY,
  });
  const server = await stage.server("hookporter node, received only", { inbox });
  const { rss } = await stage.load(server, { size: 600, connections: 64, seconds: 1 });
  await stage.clear();
  return { entries, rss };
}
