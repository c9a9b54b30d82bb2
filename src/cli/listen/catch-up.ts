import type { Inbox } from "../../inbox/inbox.ts";
import { DEFAULT_SOURCE } from "../../receiver/options.ts";
import type { CliContext } from "../context.ts";
import { forwardedKinds } from "../handlers/forward-rules.ts";
import type { ForwardingOptions } from "../handlers/forwarding.ts";

/** The options that say which entries there is something for now. */
interface CatchUpOptions extends ForwardingOptions {
  readonly events?: readonly string[];
  readonly inbox?: string;
}

/**
 * Sees to entries that ended `unhandled` while nothing was there for them. Those that a target takes now are redriven
 * unless `--no-catch-up`; those that only handlers may take with `--catch-up` alone, since a handler whose code is being
 * tried out should not get last week's events unasked. Says what it redrove, or how to.
 */
export async function catchUp(
  inbox: Inbox,
  { handlers, forwardTo = [], events = ["*"], inbox: named, catchUp: wanted }: CatchUpOptions,
  { output, clock }: CliContext,
): Promise<void> {
  if (wanted === false || (handlers === undefined && forwardTo.length === 0)) return;
  // What handlers take is known only when an entry is run; a target's kinds are known now.
  const withHandlers = handlers !== undefined && wanted === true;
  const forwarded = forwardTo.length === 0 ? undefined : forwardedKinds(forwardTo, events);
  const kinds = withHandlers ? events : (forwarded ?? events);
  const filter = { states: ["unhandled"], kinds, sources: [DEFAULT_SOURCE] } as const;
  if (wanted === true || forwarded !== undefined) {
    const redriven = await inbox.redrive(filter, clock());
    if (redriven > 0) output.talk(`  catching up: ${entries(redriven)} that had no handler or target`);
    return;
  }
  if ((await inbox.counts()).unhandled === 0) return; // spares the look at each, most of the time
  const waiting = (await inbox.list(filter)).length;
  if (waiting === 0) return;
  const where = named === undefined ? "" : ` --inbox ${named}`;
  output.talk(
    `  ${entries(waiting)} had no handler or target before: --catch-up runs them, ` +
      `or hookporter events redrive --state unhandled${where}`,
  );
}

function entries(count: number): string {
  return `${count} unhandled ${count === 1 ? "entry" : "entries"}`;
}
