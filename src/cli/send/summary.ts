import { counted } from "../../base/text/counted.ts";
import type { TargetAnswer } from "../../relay/send.ts";
import { readOwnAnswer } from "../outcome/own-answer.ts";

export class SendSummary {
  dropped = 0;
  unanswered = 0;
  readonly #total: number;
  #ok = 0;
  #refused = 0;
  #new = 0;
  #duplicates = 0;

  /** What an answer must be, such as `2xx`. */
  readonly #wanted: string;

  constructor(total: number, expect?: number) {
    this.#total = total;
    this.#wanted = expect === undefined ? "2xx" : String(expect);
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

  /** Whether some were sent, and none of them was answered. */
  get isUnanswered(): boolean {
    return this.unanswered > 0 && this.#ok + this.#refused === 0;
  }

  /** How many were not answered 2xx. */
  get left(): number {
    return this.#total - this.#ok - this.dropped;
  }

  /**
   * Such as `20 sent, 20 new`; of a receiver that does not say what is new,
   * `20 sent, 20 answered 2xx`.
   */
  get line(): string {
    const known = this.#new + this.#duplicates === this.#ok && this.#ok > 0;
    const parts = [`${this.#ok + this.#refused} sent`];
    if (!known) parts.push(`${this.#ok} answered ${this.#wanted}`);
    else parts.push(`${this.#new} new`);
    if (known && this.#duplicates > 0)
      parts.push(counted(this.#duplicates, "duplicate", "duplicates"));
    if (this.#refused > 0) parts.push(`${this.#refused} not answered ${this.#wanted}`);
    if (this.unanswered > 0) parts.push(`${this.unanswered} without an answer`);
    if (this.dropped > 0) parts.push(`${this.dropped} dropped`);
    return parts.join(", ");
  }

  /** Such as `417 of 10000 sent`. */
  get progress(): string {
    const sent = this.#ok + this.#refused;
    const ofThem = this.#refused === 0 ? "" : `, ${this.#ok} answered ${this.#wanted}`;
    return `${sent} of ${this.#total} sent${ofThem}`;
  }

  get fields(): object {
    const sent = this.#ok + this.#refused;
    return { total: this.#total, sent, ok: this.#ok, new: this.#new, duplicates: this.#duplicates };
  }
}
