import { HookporterError } from "../../base/errors.ts";
import { timerDelay } from "../../base/options/timer-delay.ts";
import { counted } from "../../base/text/counted.ts";
import { durationText } from "../../base/text/duration-text.ts";
import type { Entry } from "../../inbox/entry.ts";
import type { EntryState } from "../../inbox/entry-state.ts";
import { reasonWords } from "../../inbox/reasons.ts";
import type { CliContext } from "../context.ts";
import { entriesAfter, newestSeq, whenIn } from "../events/follow.ts";
import { withInbox } from "../events/inbox.ts";
import { type SelectOptions, toFilter } from "../events/selection.ts";
import { DECIDED, exitCodeOf, reportOutcome, WAIT } from "./outcome.ts";

export interface WaitOptions extends Pick<SelectOptions, "inbox" | "state" | "kind" | "source"> {
  readonly after?: number;
  readonly count?: number;
  readonly timeout?: number;
}

/** `events wait`: the next entries, in order, each once it has reached one of the states. */
export async function waitForEvents(options: WaitOptions, context: CliContext): Promise<void> {
  const { output, clock } = context;
  const { count = 1, timeout = WAIT, state: awaited = DECIDED, ...selection } = options;
  await withInbox(context, { inbox: options.inbox, access: "read" }, async (inbox) => {
    const signal = AbortSignal.timeout(timerDelay(timeout));
    const after = options.after ?? (await newestSeq(inbox));
    const filter = await toFilter(selection, inbox, output);
    const states: EntryState[] = [];
    let last = after;
    let waited: Entry | undefined;
    for await (const found of entriesAfter(inbox, filter, { after, clock, signal })) {
      const { entry, reached } = await whenIn(inbox, found, awaited, signal);
      waited = entry;
      if (!reached) break;
      last = entry.seq;
      if (states.push(await reportOutcome(inbox, entry, context)) === count) break;
    }
    if (states.length < count) {
      const got = `expected ${counted(count, "event", "events")} after #${after} within ${durationText(timeout)}, got ${states.length}`;
      const open = waited !== undefined && waited.seq > last ? waited : undefined;
      const why = open === undefined ? "no other came" : stateText(open);
      throw new HookporterError("timed_out", `${got}: ${why}; --after ${last} goes on from here`);
    }
    context.exitCode = exitCodeOf(states);
  });
}

/** `#4 is waiting, no handler for this event`. */
function stateText({ seq, state, reason }: Entry): string {
  return `#${seq} is ${state}${reason === null ? "" : `, ${reasonWords(reason)}`}`;
}
