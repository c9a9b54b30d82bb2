import { counted } from "../../base/text/counted.ts";
import type { TargetCount } from "../../inbox/target-wait.ts";
import { DEFAULT_SOURCE } from "../../receiver/options/settings.ts";
import { readClosed } from "../inbox/read-closed.ts";
import { type Output, printable } from "../output.ts";
import type { ListenSession } from "./plan.ts";

export interface WaitingCounts {
  readonly targets: readonly TargetCount[];
  /** How many other entries wait, such as those that an entry with their order key holds back. */
  readonly others: number;
}

export const OWN = { sources: [DEFAULT_SOURCE] }; // listen runs no others

/**
 * Reads how many entries wait for each target, from an inbox that no receiver of this process has
 * open. Without a target, no file is read in vain.
 */
export async function readWaiting({
  options,
  inbox: named,
}: ListenSession): Promise<WaitingCounts> {
  const nothing = { targets: [], others: 0 };
  if ((options.forwardTo ?? []).length === 0) return nothing;
  const waiting = await readClosed(named, async (inbox) => {
    const targets = await inbox.waiting(OWN);
    const { waiting, failing, running } = await inbox.counts(OWN);
    // An entry may wait for several targets.
    const most = Math.max(0, ...targets.map(({ entries }) => entries));
    return { targets, others: Math.max(0, waiting + failing + running - most) };
  });
  return waiting ?? nothing;
}

export function printWaiting(
  { targets, others }: WaitingCounts,
  indent: string,
  { talk }: Pick<Output, "talk">,
) {
  for (const { target, entries } of targets)
    talk(
      `${indent}${counted(entries, "event waits", "events wait")} for ${printable(target, 300)}`,
    );
  if (targets.length === 1 && others > 0)
    talk(`${indent}${counted(others, "more waits", "more wait")}`);
}
