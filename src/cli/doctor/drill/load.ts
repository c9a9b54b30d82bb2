import { createHash, createSecretKey, randomBytes } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { durationText } from "../../../base/text/duration-text.ts";
import { eventKinds } from "../../../event/kinds.ts";
import { send } from "../../../relay/send.ts";
import { triggerDelivery } from "../../../relay/trigger.ts";
import { SIGNATURE_HEADER } from "../../../signature/signature-format.ts";

/** Deliveries under way at a time. */
const AT_ONCE = 4;
/** Milliseconds between two deliveries of one sender, and before one is sent again. */
const PAUSE = 5;
/** Milliseconds that an answer may take. */
const ANSWER = 10_000;
/** Events at most, so that a drill needs little room. */
const MOST = 20_000;

/** Sends distinct signed events, and each again until it is acknowledged, as the service does. */
export class Load {
  readonly secret = randomBytes(32).toString("hex");
  /** SHA-256 of the bodies that were answered 200, hex. */
  readonly acknowledged = new Set<string>();
  /** Where the receiver is; `undefined` while there is none. */
  target: URL | undefined;
  #sent = 0;
  #isEnding = false;
  readonly #key = createSecretKey(this.secret, "utf8");
  readonly #cut = new AbortController();
  readonly #senders = Promise.all(Array.from({ length: AT_ONCE }, () => this.#keepSending()));

  /** Rejects if the load is cut meanwhile. */
  async pause(ms: number): Promise<void> {
    await sleep(ms, undefined, { signal: this.#cut.signal });
  }

  /**
   * Sends nothing new; resolves once all is acknowledged. Throws an error if that takes longer than
   * some milliseconds, or the load is cut.
   */
  async finish(within: number): Promise<void> {
    this.#isEnding = true;
    const late = setTimeout(() => this.cut(), within);
    await this.#senders;
    clearTimeout(late);
    if (this.#cut.signal.aborted)
      throw new Error(
        `expected all events to be acknowledged in ${durationText(within)}, got no answer to some`,
      );
  }

  /** Gives up what is not acknowledged yet. */
  cut(): void {
    this.#isEnding = true;
    this.#cut.abort();
  }

  async #keepSending(): Promise<void> {
    while (!this.#isEnding && this.#sent < MOST) {
      await sleep(PAUSE);
      if (this.target !== undefined) await this.#deliver(this.#sent++);
    }
  }

  async #deliver(number: number): Promise<void> {
    const kind = eventKinds[number % eventKinds.length] ?? "payment.received";
    const made = { timestamp: Date.now(), resource: String(number) };
    const delivery = triggerDelivery(kind, made, { header: SIGNATURE_HEADER, key: this.#key });
    const { signal } = this.#cut;
    while (!signal.aborted) {
      const { target } = this;
      const sending = target && send({ target, ...delivery, timeout: ANSWER, signal });
      const answer = await sending?.catch(() => undefined); // killed under way
      if (answer?.status === 200 && answer.cut === undefined) {
        this.acknowledged.add(createHash("sha256").update(delivery.body).digest("hex"));
        return;
      }
      await sleep(PAUSE);
    }
  }
}
