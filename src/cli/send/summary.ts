import type { Disturbed, Sendable } from "../../relay/chaos.ts";
import type { TargetAnswer } from "../../relay/send.ts";
import { readOwnAnswer } from "./own-answer.ts";

/** How many deliveries were answered in which way. */
export class SendSummary {
  unanswered = 0;
  readonly #total: number;
  /** How many different events there are to send, if no receiver can have any of them yet. */
  readonly #expectedNew: number | undefined;
  #ok = 0;
  #refused = 0;
  #new = 0;
  #duplicates = 0;

  constructor(deliveries: readonly Disturbed<Sendable>[], areNew: boolean) {
    this.#total = deliveries.length;
    const undisturbed = deliveries.every(({ chaos }) => chaos === null);
    this.#expectedNew = areNew && undisturbed ? new Set(deliveries.map(({ item }) => item)).size : undefined;
  }

  add({ ok, body }: TargetAnswer): void {
    if (!ok) this.#refused++;
    else this.#ok++;
    const duplicate = ok ? readOwnAnswer(body)?.duplicate : undefined;
    if (duplicate === true) this.#duplicates++;
    if (duplicate === false) this.#new++;
  }

  /** Whether one was refused, or not answered at all. */
  get failed(): boolean {
    return this.#refused + this.unanswered > 0;
  }

  /** How many were not answered 2xx. */
  get left(): number {
    return this.#total - this.#ok;
  }

  /** Such as `20 sent, 20 new`; of a receiver that does not say what is new, `20 sent, 20 answered 2xx`. */
  get line(): string {
    const known = this.#new + this.#duplicates === this.#ok && this.#ok > 0;
    const parts = [`${this.#ok + this.#refused} sent`];
    if (!known) parts.push(`${this.#ok} answered 2xx`);
    else parts.push(`${this.#new} new`);
    if (known && this.#duplicates > 0) parts.push(counted(this.#duplicates, "duplicate"));
    if (this.#refused > 0) parts.push(`${this.#refused} not answered 2xx`);
    if (this.unanswered > 0) parts.push(`${this.unanswered} without an answer`);
    return parts.join(", ");
  }

  /** What is wrong if the receiver took new events for old ones. */
  get warning(): string | undefined {
    if (this.#expectedNew === undefined || this.#duplicates === 0) return undefined;
    const missing = this.#expectedNew - this.#new - this.#refused - this.unanswered;
    if (missing <= 0) return undefined;
    const them = missing === 1 ? "1 event was a duplicate" : `${missing} events were duplicates`;
    return (
      `warning: ${them} of what the receiver already has, so no handler ran for ${missing === 1 ? "it" : "them"}: ` +
      "something else sends events with the same content and timestamp, or the receiver's own identity ignores the timestamp"
    );
  }

  /** Such as `417 of 10000 sent`. */
  get progress(): string {
    const sent = this.#ok + this.#refused;
    const ofThem = this.#refused === 0 ? "" : `, ${this.#ok} answered 2xx`;
    return `${sent} of ${this.#total} sent${ofThem}`;
  }

  get fields(): object {
    const sent = this.#ok + this.#refused;
    return { total: this.#total, sent, ok: this.#ok, new: this.#new, duplicates: this.#duplicates };
  }
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}
