import {
  describeError,
  HookporterError,
  INBOX_ERROR_CODES,
  type InboxErrorCode,
} from "../base/errors.ts";
import type { Logger } from "../base/logger.ts";
import { OnceAMinute } from "../base/once-a-minute.ts";
import { unref } from "../base/stand-ins.ts";
import type { Inbox } from "../inbox/inbox.ts";

/**
 * Milliseconds between attempts to write while commits fail: once nothing is delivered any more,
 * nothing else would tell.
 */
const TRY_EVERY = 5000;

/** Whether the inbox stores what it is given: the outcome of the last commit. */
export class StoreHealth {
  /** Why the last commit failed; `undefined` if it succeeded. */
  failure: InboxErrorCode | undefined;
  readonly #log: Logger;
  readonly #lines = new OnceAMinute<InboxErrorCode>();
  /** Whether the log names a failure, whose end it has to name too. */
  #isLogged = false;
  #write: (() => Promise<unknown>) | undefined;
  #next: NodeJS.Timeout | undefined;

  constructor(log: Logger) {
    this.#log = log;
  }

  /**
   * Lets it find out by itself that commits succeed again; `write` commits something small. Returns
   * a function that ends this.
   */
  watch(write: () => Promise<unknown>): () => void {
    this.#write = write;
    return () => {
      this.#write = undefined;
      clearTimeout(this.#next);
    };
  }

  /** Call it for a delivery that could not be stored. */
  failed(thrown: unknown): void {
    const code = inboxErrorCode(thrown);
    this.failure = code;
    const unlogged = this.#lines.leftOut(code, performance.now());
    if (unlogged !== undefined) {
      this.#isLogged = true;
      this.#log.error(
        { error: describeError(thrown), unlogged: unlogged || undefined },
        "could not store a delivery; answered 503 so that the sender retries",
      );
    }
    this.#tryLater();
  }

  /** Call it once something was stored, if the commit before had failed. */
  recovered(): void {
    this.failure = undefined;
    clearTimeout(this.#next);
    this.#next = undefined;
    if (this.#isLogged) this.#log.warn({}, "deliveries can be stored again");
    this.#isLogged = false;
  }

  #tryLater(): void {
    if (this.#write === undefined || this.#next !== undefined) return;
    this.#next = unref(setTimeout(() => void this.#try(), TRY_EVERY));
  }

  async #try(): Promise<void> {
    try {
      await this.#write?.();
    } catch (thrown) {
      this.#next = undefined;
      if (this.failure !== undefined) this.failure = inboxErrorCode(thrown);
      this.#tryLater();
      return;
    }
    if (this.failure !== undefined) this.recovered();
  }
}

/** Why an inbox cannot be read now; `undefined` if it can. */
export function readFailure(inbox: Pick<Inbox, "nextRunAt">): Promise<InboxErrorCode | undefined> {
  return inbox.nextRunAt().then(() => undefined, inboxErrorCode);
}

function inboxErrorCode(thrown: unknown): InboxErrorCode {
  const code = thrown instanceof HookporterError ? thrown.code : undefined;
  return INBOX_ERROR_CODES.find((known) => known === code) ?? "inbox_unavailable";
}
