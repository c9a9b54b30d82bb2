import { HookporterError } from "../../errors.ts";
import { changedInAll, changeEntries } from "../../inbox/change-entries.ts";
import type { Entry } from "../../inbox/entry.ts";
import type { Inbox } from "../../inbox/inbox.ts";
import { freshSending } from "../../relay/replay.ts";
import { send } from "../../relay/send.ts";
import type { Secret } from "../../signature/secrets.ts";
import { entryPage } from "../events/entry-view.ts";
import type { Output } from "../output.ts";

interface ActingOn {
  readonly inbox: Inbox;
  /** Where entries are sent again: the receiver itself. */
  readonly target: URL;
  readonly secret: Secret;
  readonly signatureHeader: string;
  readonly clock: () => number;
}

/** What the keys of the live view do with one entry. Each rejects with `entry_unknown` if it is gone. */
export class LiveEntryActions {
  readonly #on: ActingOn;

  constructor(on: ActingOn) {
    this.#on = on;
  }

  async page(seq: number, output: Pick<Output, "color" | "columns">): Promise<readonly string[]> {
    const { inbox } = this.#on;
    const entry = await this.#entry(seq);
    return entryPage(entry, await inbox.delivery(seq), await inbox.attempts(seq), output);
  }

  /** Whether it has not ended well: then it can run again as it is. */
  async canRetry(seq: number): Promise<boolean> {
    const { state } = await this.#entry(seq);
    return state !== "done" && state !== "running";
  }

  /** Runs an entry again that waits, is dead, or was handled by nobody. */
  async retry(seq: number): Promise<void> {
    const { inbox, clock } = this.#on;
    if (changedInAll(await changeEntries(inbox, "retry", { seq }, clock())) === 0)
      throw new HookporterError("entry_unknown", `#${seq} is running, or has ended meanwhile`);
  }

  /** Sends an entry's delivery to the receiver as a new event, with a new timestamp and signature. */
  async sendAgain(seq: number): Promise<void> {
    const { inbox, target, secret, signatureHeader: header, clock } = this.#on;
    const delivery = await inbox.delivery(seq);
    if (delivery === undefined) throw gone(seq);
    const fixture = { type: "delivery", delivery } as const;
    const { headers, body } = freshSending(fixture, { key: secret.key, header, now: clock() });
    await send({ target, headers, body });
  }

  /** Makes an entry a dead letter that holds back no other. */
  async drop(seq: number): Promise<void> {
    const { inbox, clock } = this.#on;
    if (changedInAll(await changeEntries(inbox, "drop", { seq }, clock())) === 0)
      throw new HookporterError("entry_unknown", `#${seq} has ended: there is nothing to drop`);
  }

  async #entry(seq: number): Promise<Entry> {
    const [entry] = await this.#on.inbox.list({ seq });
    if (entry === undefined) throw gone(seq);
    return entry;
  }
}

function gone(seq: number): HookporterError {
  return new HookporterError("entry_unknown", `#${seq} is no longer in the inbox`);
}
