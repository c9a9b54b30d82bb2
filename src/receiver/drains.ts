import type { Logger } from "../base/logger.ts";
import { UnderWay } from "../base/under-way.ts";
import type { Dispatcher } from "../dispatch/dispatcher.ts";
import type { DrainReport } from "../dispatch/drain.ts";
import { describeError } from "../errors.ts";
import type { InboxUse } from "../inbox/shared/inbox-use.ts";
import { closed } from "./not-ready.ts";
import { checkDrain, type DrainOptions } from "./options/drain-options.ts";

interface Draining {
  readonly dispatcher: Dispatcher;
  readonly use: InboxUse;
  readonly log: Logger;
  readonly isClosed: () => boolean;
}

/** The drains of a receiver that are under way. */
export class Drains {
  readonly #parts: Draining;
  readonly #underWay = new UnderWay();

  constructor(parts: Draining) {
    this.#parts = parts;
  }

  /** Drains, with the inbox open meanwhile; logs a failure, since callers such as `waitUntil` would not. */
  async run(options: DrainOptions): Promise<DrainReport> {
    try {
      return await this.#underWay.follow(this.#run(options));
    } catch (thrown) {
      this.#parts.log.error({ error: describeError(thrown) }, "a drain failed");
      throw thrown;
    }
  }

  settled(): Promise<void> {
    return this.#underWay.settled();
  }

  async #run(options: DrainOptions): Promise<DrainReport> {
    const since = performance.now();
    const { dispatcher, use, isClosed } = this.#parts;
    checkDrain(options);
    if (isClosed()) throw closed("an open receiver", "a closed one");
    const release = await use.take();
    try {
      return await dispatcher.drain(options.budget, since);
    } finally {
      await release();
    }
  }
}
