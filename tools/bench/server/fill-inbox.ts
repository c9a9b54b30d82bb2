import { CORES, onCores } from "../cores.ts";
import { runCommand } from "../load/run-command.ts";
import { program } from "../places.ts";

/** How to fill an inbox. */
export interface FillOrder {
  /** The inbox file. */
  readonly inbox: string;
  readonly count: number;
  /** Entries that have ended, or that wait for their handlers. */
  readonly state: "dead" | "waiting";
  /** Bytes of each body. */
  readonly size: number;
  /** The timestamp of the first event, milliseconds since 1970. */
  readonly from: number;
}

const HOUR = 3_600_000;

/** Fills an inbox file in a child process; returns the entries stored per second. */
export async function fillInbox(node: string, order: FillOrder): Promise<number> {
  const start = performance.now();
  await runCommand(onCores(CORES.server, [node, program("fill"), JSON.stringify(order)]), {
    timeout: HOUR,
  });
  return (order.count / (performance.now() - start)) * 1000;
}
