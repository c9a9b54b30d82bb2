import { HookporterError } from "../../base/errors.ts";
import { timerDelay } from "../../base/options/timer-delay.ts";
import { ownCommand, suggestInbox } from "../../base/package/own-command.ts";
import { durationText } from "../../base/text/duration-text.ts";
import { readEnvelope } from "../../event/read-envelope.ts";
import type { Entry } from "../../inbox/entry.ts";
import type { EntryState } from "../../inbox/entry-state.ts";
import type { Sendable } from "../../relay/chaos.ts";
import type { TargetAnswer } from "../../relay/send.ts";
import type { CliContext } from "../context.ts";
import { whenIn } from "../events/follow.ts";
import { withInbox } from "../events/inbox.ts";
import { inboxOfEndpoint } from "../inbox/endpoint-inbox.ts";
import { nameInbox } from "../inbox/named-inbox.ts";
import { inboxWord } from "../inbox/which-inbox.ts";
import { DECIDED, exitCodeOf, reportOutcome, WAIT } from "./outcome.ts";
import { readOwnAnswer } from "./own-answer.ts";

/**
 * The inbox in which to wait for what is sent to an endpoint, which can be read: checked before
 * anything is sent. Throws `usage` if no inbox of this folder belongs to the endpoint, `inbox_…`.
 */
export async function inboxToWaitIn(
  { url, inbox: given }: { readonly url?: URL; readonly inbox?: string },
  context: CliContext,
): Promise<string | undefined> {
  const inbox = inboxOfEndpoint(url, given, context);
  await withInbox(context, { inbox, access: "read", ofEndpoint: true }, async () => {});
  if (inbox !== given && inbox !== undefined) suggestInbox(inboxWord(inbox, context));
  return inbox;
}

/** The events that a run has sent with success: `--wait` reports what became of each. */
export class SentEvents {
  readonly #ids = new Set<string>();

  /**
   * Remembers an event by the id that the receiver answered with, or else by the one derived from
   * its body.
   */
  add({ body }: Pick<Sendable, "body">, answer: TargetAnswer): void {
    const id = readOwnAnswer(answer.body)?.id ?? derivedId(body);
    if (id !== undefined) this.#ids.add(id);
  }

  /**
   * Waits until something can be said of each event, and reports it, in the order they were sent.
   * Sets exit code 7 if one was not handled. Throws `inbox_unavailable` if the inbox does not have
   * them, `timed_out`.
   */
  async report(
    {
      inbox: given,
      timeout = WAIT,
    }: { readonly inbox: string | undefined; readonly timeout?: number },
    context: CliContext,
  ) {
    if (this.#ids.size === 0) return;
    await withInbox(context, { inbox: given, access: "read", ofEndpoint: true }, async (inbox) => {
      const signal = AbortSignal.timeout(timerDelay(timeout));
      const states: EntryState[] = [];
      for (const id of this.#ids) {
        const sent = (await inbox.list({ eventId: id })).findLast(({ key }) => key.eventId === id);
        if (sent === undefined) throw notHere(id, nameInbox(context, given).shown);
        const { entry, reached } = await whenIn(inbox, sent, DECIDED, signal);
        if (!reached) throw notDecided(entry, timeout);
        states.push(await reportOutcome(inbox, entry, context));
      }
      if (context.exitCode === 0) context.exitCode = exitCodeOf(states);
    });
  }
}

function derivedId(body: Uint8Array): string | undefined {
  const read = readEnvelope(body);
  return read.ok ? read.eventId : undefined;
}

function notHere(id: string, shown: string): HookporterError {
  const why = `expected ${id} in the inbox ${shown}, got no such entry: the endpoint keeps its events elsewhere`;
  return new HookporterError(
    "inbox_unavailable",
    `${why}; pass its inbox with --inbox, or leave out --wait`,
  );
}

function notDecided(entry: Entry, timeout: number): HookporterError {
  const { seq, waits } = entry;
  const target = waits.find(({ over }) => over === null)?.target;
  const forWhat = target === undefined ? "" : ` for ${target}`;
  const got = `expected #${seq} to be handled within ${durationText(timeout)}, but it is ${entry.state}${forWhat}`;
  return new HookporterError(
    "timed_out",
    `${got}: \`${ownCommand(`events show ${seq}`)}\` has more`,
  );
}
