import { ownCommand } from "../../base/package/own-command.ts";
import { counted } from "../../base/text/counted.ts";
import type { Inbox } from "../../inbox/inbox.ts";
import { DEFAULT_SOURCE } from "../../receiver/options/settings.ts";
import type { CliContext } from "../context.ts";
import { forwardedKinds } from "../handlers/forward-rules.ts";
import type { ListenOptions } from "./listen-options.ts";

/**
 * Retries entries that were only *received*, because there was no handler or target for them. Those
 * that have a target now are retried unless `--no-catch-up`; those that only handlers may take,
 * only with `--catch-up`, since a handler under development should not get last week's events
 * unasked. Prints what it retried, or how to retry.
 */
export async function catchUp(
  inbox: Inbox,
  { handlers, exec, forwardTo = [], events = ["*"], catchUp: wanted }: ListenOptions,
  { output, clock }: CliContext,
): Promise<void> {
  const handled = handlers !== undefined || exec !== undefined;
  if (wanted === false || (!handled && forwardTo.length === 0)) return;
  // What handlers take is known only when an entry runs; a target's kinds are known now.
  const withHandlers = handled && wanted === true;
  const forwarded = forwardTo.length === 0 ? undefined : forwardedKinds(forwardTo, events);
  const kinds = withHandlers ? events : (forwarded ?? events);
  const filter = { states: ["received"], kinds, sources: [DEFAULT_SOURCE] } as const;
  if (wanted === true || forwarded !== undefined) {
    const { ended: retried } = await inbox.retry(filter, clock());
    if (retried > 0)
      output.talk(
        `  catching up: ${counted(retried, "entry", "entries")} that had no handler or target`,
      );
    return;
  }
  // usually there are none, which avoids reading each entry
  if ((await inbox.counts()).received === 0) return;
  const waiting = (await inbox.list(filter)).length;
  if (waiting === 0) return;
  output.talk(
    `  ${counted(waiting, "entry", "entries")} had no handler or target: run them with --catch-up, or with ${ownCommand("events retry --state received")}`,
  );
}
