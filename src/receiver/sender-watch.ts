import { describeError } from "../base/errors.ts";
import type { Logger } from "../base/logger.ts";
import { OnceAMinute } from "../base/once-a-minute.ts";
import { unref } from "../base/stand-ins.ts";
import { withTimeout } from "../base/with-timeout.ts";
import type { Delivery } from "../event/delivery.ts";
import type { Inbox } from "../inbox/inbox.ts";
import { addNote, noAuthentic, type SenderNote, type SenderRecord } from "../inbox/senders.ts";
import type { SignatureReason } from "../signature/signature-format.ts";
import type { Incoming } from "./incoming.ts";
import { mismatchText } from "./mismatch-text.ts";
import type { Settings } from "./options/settings.ts";
import type { Misconfigured, Unauthorized } from "./outcome.ts";
import { SenderTally } from "./sender-tally.ts";
import { UnsignedRequests } from "./unsigned-requests.ts";

/** Milliseconds between two notes in the inbox. */
export const NOTE_EVERY = 10_000;
/**
 * Milliseconds that the last note may take once the receiver closes: a database that hangs must not
 * hold it up.
 */
const LAST_NOTE = 2000;
/** Entries that an inbox without a record is asked for, since one of an older version has none. */
const LOOKED_AT = 1000;

type Terms = Pick<Settings, "source" | "log" | "signatureHeader">;

/**
 * Notices that a sender's secret was changed: counts what is authentic and what is not, warns, and
 * notes the numbers in the inbox, for other processes and the next start. A delivery costs no
 * write.
 */
export class SenderWatch {
  readonly #terms: Terms;
  readonly #inbox: Inbox;
  readonly tally: SenderTally;
  #unsigned: UnsignedRequests | undefined;
  readonly #lines = new OnceAMinute<"mismatch" | "failure">();
  #record: SenderRecord;
  #timer: NodeJS.Timeout | undefined;
  #noting: Promise<void> = Promise.resolve();
  /** Whether it is known what earlier processes saw: before, a warning would say too little. */
  #isRecalled = false;

  constructor(terms: Terms, inbox: Inbox) {
    this.#terms = terms;
    this.#inbox = inbox;
    this.tally = new SenderTally(terms.source);
    this.#record = { source: terms.source, days: [] };
  }

  start(): void {
    this.#next(() =>
      this.#recall().finally(() => {
        this.#isRecalled = true;
      }),
    );
    this.#timer = unref(
      setInterval(() => this.#next(() => this.#write(this.tally.take())), NOTE_EVERY),
    );
  }

  /** Notes the rest. Call it while the inbox is open. */
  async stop(): Promise<void> {
    clearInterval(this.#timer);
    if (this.#timer === undefined) return;
    this.#next(() => this.#write(this.tally.take()));
    await withTimeout(this.#noting, LAST_NOTE, () => undefined);
  }

  /** Counts a delivery that is not authentic, if its signature is well formed. */
  refused({ body, receivedAt }: Delivery, why: Unauthorized | Misconfigured): void {
    if (why.type !== "unauthorized" || why.reason !== "signature_mismatch") return;
    this.tally.mismatch(body, receivedAt);
    if (this.#isRecalled || this.#timer === undefined) this.#warn(receivedAt);
    else this.#next(async () => this.#warn(receivedAt));
  }

  /** Looks at a request whose signature is missing or cannot be read. */
  unsigned({ headers }: Pick<Incoming, "headers">, reason: SignatureReason, now: number): void {
    if (reason === "signature_mismatch") return;
    const authenticAt = this.tally.lastAt ?? this.#record.authenticAt;
    this.#unsigned ??= new UnsignedRequests(this.#terms);
    this.#unsigned.note({ headers, reason, now, authenticAt });
  }

  #warn(now: number): void {
    const unlogged = this.#lines.leftOut("mismatch", now);
    if (unlogged === undefined) return;
    const { seen } = this.tally;
    const record = seen === undefined ? this.#record : addNote(this.#record, seen);
    // Louder only then: strangers must not fill the log with errors.
    const level: keyof Logger = noAuthentic(record, now) ? "error" : "warn";
    const refused = record.mismatches?.count;
    const fields = {
      outcome: "unauthorized",
      reason: "signature_mismatch",
      source: record.source,
      refused,
      unlogged: unlogged || undefined,
    };
    const message = `a well-formed signature matches no secret: ${mismatchText(record, now)}`;
    this.#terms.log[level](fields, message);
  }

  /** One after the other; never rejects. */
  #next(work: () => Promise<void>): void {
    this.#noting = this.#noting.then(work).catch((thrown) => {
      if (this.#lines.leftOut("failure", performance.now()) === undefined) return;
      this.#terms.log.debug(
        { error: describeError(thrown) },
        "could not record what was seen of signatures",
      );
    });
  }

  /**
   * Reads what earlier processes noted. If that is nothing, the newest entries say when events
   * came.
   */
  async #recall(): Promise<void> {
    const { source } = this.#terms;
    const inbox = this.#inbox;
    const known = (await inbox.senders()).find((sender) => sender.source === source);
    if (known !== undefined) this.#record = known;
    else {
      const entries = await inbox.list({ limit: LOOKED_AT });
      const tally = new SenderTally(source);
      for (const { key, receivedAt } of entries)
        if (key.source === source) tally.authentic(receivedAt);
      await this.#write(tally.take());
    }
  }

  async #write(note: SenderNote | undefined): Promise<void> {
    if (note === undefined) return;
    const before = this.#record.authenticAt;
    this.#record = addNote(this.#record, note); // in case it cannot be kept
    const kept = await this.#inbox.recordSender(note);
    if (kept === undefined) return;
    this.#record = kept;
    const ownAt = note.authentic?.last ?? before;
    if (kept.authenticAt !== ownAt) this.tally.forgetMismatches();
  }
}
