import { describeError } from "../../base/errors.ts";
import { hasEnded } from "../../inbox/entry-state.ts";
import { type Pause, STOPPED } from "../../inbox/pause.ts";
import type { Settlement } from "../../inbox/settlement.ts";
import { TARGET_AWAY } from "../../inbox/target-wait.ts";
import type { DispatcherOptions } from "./dispatcher-options.ts";

/** Milliseconds between two looks at the retries that are under way. */
const LOOK = 1000;
/** How many of the latest results of a retry are looked at, and how many of those may fail. */
const LATEST = 10;
const MAX_FAILED = 5;
/**
 * Milliseconds after which a retry of which nothing waits is over: its command may still be writing
 * it.
 */
const WRITTEN = 60_000;

/**
 * Watches retries at a measured pace, in whichever process runs entries, and stops one of which too
 * many entries fail: what is left of it is paused until a person resumes it. All of it is kept in
 * the inbox, except the latest results, of which a killed process takes at most ten with it.
 */
export class RetryWatch {
  readonly #options: Pick<DispatcherOptions, "inbox" | "clock" | "log">;
  /** By retry: whether each of its latest runs succeeded; empty from when it was paused. */
  readonly #results = new Map<string, boolean[]>();
  readonly #stopped = new Set<string>();
  #lookedAt = Number.NEGATIVE_INFINITY;

  constructor(options: Pick<DispatcherOptions, "inbox" | "clock" | "log">) {
    this.#options = options;
  }

  /**
   * Notes the result of an entry of a retry, and pauses the rest if too many of the latest failed.
   */
  async note(name: string, seq: number, settlement: Settlement): Promise<void> {
    const isOk = succeeded(settlement);
    if (isOk === undefined || this.#stopped.has(name)) return;
    const results = [...(this.#results.get(name) ?? []), isOk].slice(-LATEST);
    this.#results.set(name, results);
    const failed = results.filter((result) => !result).length;
    if (failed <= MAX_FAILED) return;
    this.#stopped.add(name);
    this.#results.delete(name);
    await this.#stop({
      scope: "retry",
      name,
      since: this.#options.clock(),
      who: `${STOPPED} at #${seq}: ${failed} of the latest ${results.length} failed`,
    });
  }

  /** Looks at all retries, at most once a second. */
  async look(): Promise<void> {
    const now = performance.now();
    if (now - this.#lookedAt < LOOK) return;
    this.#lookedAt = now;
    const { inbox, clock, log } = this.#options;
    const { paused, retries } = await inbox.pauses();
    for (const retry of retries) {
      const pause = paused.find(
        ({ scope, name }) => scope === "retry" && name === String(retry.id),
      );
      if (pause === undefined) this.#stopped.delete(String(retry.id));
      if (retry.left === 0 && clock() >= Math.max(retry.until, retry.since + WRITTEN)) {
        await inbox.endRetry(retry.id);
        const fields = { retry: retry.id, entries: retry.entries };
        log.info(fields, "a retry at a measured pace is over: all its entries were tried");
      }
    }
  }

  async #stop(pause: Pause): Promise<void> {
    const { inbox, log } = this.#options;
    try {
      await inbox.pause(pause);
      const fields = { retry: Number(pause.name), why: pause.who };
      log.error(
        fields,
        "a retry at a measured pace stopped by itself; the rest of its entries is paused",
      );
    } catch (thrown) {
      this.#stopped.delete(pause.name);
      log.error({ error: describeError(thrown) }, "a retry could not be paused");
    }
  }
}

/** Whether a run succeeded; `undefined` if nothing was tried. */
function succeeded({ state, reason, records }: Settlement): boolean | undefined {
  if (state === "handled") return true;
  if (state === "dead" || reason === TARGET_AWAY) return false;
  return !hasEnded(state) && reason === null && records.length > 0 ? false : undefined;
}
