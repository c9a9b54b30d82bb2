import type { ServerResponse } from "node:http";
import { failedCounts } from "../../inbox/counts.ts";
import { hasEnded } from "../../inbox/entry-state.ts";
import type { Inbox } from "../../inbox/inbox.ts";
import type { Observation } from "../../receiver/observation.ts";
import type { LiveUpdate } from "../api.ts";
import type { RowFilter } from "../entries/filter.ts";
import { entryId, entryRows } from "../entries/rows.ts";
import { type Refusal, refusalRow } from "./refusals.ts";

const TICK = 100; // milliseconds between updates; changes in between are combined
/**
 * Milliseconds between polls of entries in progress, to notice that they run, which no observation
 * reports.
 */
const LOOK_AGAIN = 1000;
const MAX_UNDER_WAY = 500;
const COUNT_AGAIN = 500; // milliseconds between counts of what failed, as long as entries change
const HEARTBEAT = 15_000; // milliseconds between heartbeats
const MAX_BEHIND = 1024 * 1024; // bytes that a page may lag behind; a slower one is told to reload

const MAX_PAGES = 20;

interface Page {
  readonly response: ServerResponse;
  readonly filter: RowFilter;
  behind: boolean;
  /** What it was told last of what does not depend on its filter, by the names of events. */
  readonly reported: Map<string, string>;
}

/** Sends updates to pages as server-sent events. Does nothing if there are no pages. */
export class LiveFeed {
  readonly #inbox: Inbox;
  readonly #pages = new Set<Page>();
  readonly #pending = new Set<number>();
  #touched = new Set<number>();
  #refusals: Refusal[] = [];
  #timer: NodeJS.Timeout | undefined;
  #drifts = 0;
  /** Whether the pages know how many entries fail and are dead. */
  #isCounted = true;
  #counting: Promise<void> = Promise.resolve();
  #flushing: Promise<void> = Promise.resolve();
  readonly #beats: NodeJS.Timeout[];

  constructor(inbox: Inbox) {
    this.#inbox = inbox;
    this.#beats = [
      setInterval(() => this.#beat(), HEARTBEAT).unref(),
      setInterval(() => this.#lookAgain(), LOOK_AGAIN).unref(),
      setInterval(() => this.#countAgain(), COUNT_AGAIN).unref(),
    ];
  }

  note(observation: Observation): void {
    if (observation.type === "attempt") this.touch(observation.seq);
    else if ("seq" in observation.outcome) this.touch(observation.outcome.seq);
  }

  touch(seq: number): void {
    if (this.#pages.size === 0) return;
    this.#touched.add(seq);
    this.#isCounted = false;
    this.#schedule();
  }

  /** Records a refused delivery, or that a row of them has changed; without a count it is gone. */
  noteRefusal(refusal: Refusal): void {
    if (this.#pages.size === 0) return;
    this.#refusals.push(refusal);
    this.#schedule();
  }

  noteDrift(): void {
    this.#drifts++;
    for (const page of this.#pages) this.#sendDrifts(page);
  }

  get full(): boolean {
    return this.#pages.size >= MAX_PAGES;
  }

  /** Sends updates to a response until it is closed. */
  follow(response: ServerResponse, filter: RowFilter): void {
    response.writeHead(200, { "Content-Type": "text/event-stream" });
    response.write("retry: 1000\n\nevent: open\ndata: {}\n\n");
    const page: Page = { response, filter, behind: false, reported: new Map() };
    this.#pages.add(page);
    this.#isCounted = false;
    this.#countAgain();
    this.#sendDrifts(page);
    response.on("close", () => this.#pages.delete(page));
    response.on("error", () => {}); // the page disconnected during a write
    response.on("drain", () => this.#caughtUp(page));
  }

  /** Ends all responses; resolves when no reads are in progress. */
  async close(): Promise<void> {
    for (const beat of this.#beats) clearInterval(beat);
    clearTimeout(this.#timer);
    for (const { response } of this.#pages) response.end();
    this.#pages.clear();
    await Promise.all([this.#flushing, this.#counting]);
  }

  #schedule(): void {
    if (this.#pages.size === 0 || this.#timer !== undefined) return;
    this.#timer = setTimeout(() => {
      this.#flushing = this.#flush().finally(() => {
        this.#timer = undefined;
        if (this.#touched.size > 0 || this.#refusals.length > 0) this.#schedule();
      });
    }, TICK);
    this.#timer.unref();
  }

  async #flush(): Promise<void> {
    const seqs = [...this.#touched];
    const refusals = this.#refusals;
    this.#touched = new Set();
    this.#refusals = [];
    // Whatever the pages' filters: what leaves one may still run.
    const states = await this.#inbox.list({ seqs }).catch(() => []);
    for (const { seq, state } of states) {
      if (hasEnded(state)) this.#pending.delete(seq);
      else if (this.#pending.size < MAX_UNDER_WAY) this.#pending.add(seq);
    }
    for (const page of this.#pages) {
      if (page.behind) continue;
      try {
        send(page, "update", await this.#updateFor(page, seqs, refusals));
      } catch {
        send(page, "gap", {}); // the inbox could not be read; the page reloads
      }
    }
  }

  async #updateFor(
    { filter }: Page,
    seqs: readonly number[],
    refusals: readonly Refusal[],
  ): Promise<LiveUpdate> {
    const only = filter.entries.seqs && new Set(filter.entries.seqs);
    const wanted = only === undefined ? seqs : seqs.filter((seq) => only.has(seq));
    const entries =
      wanted.length === 0 ? [] : await this.#inbox.list({ ...filter.entries, seqs: wanted });
    const found = new Set(entries.map(({ seq }) => seq));
    const noLonger = refusals.filter(({ count }) => count === 0).map(({ id }) => id);
    const gone = [...seqs.filter((seq) => !found.has(seq)).map(entryId), ...noLonger];
    const refused = refusals
      .filter((refusal) => refusal.count > 0 && filter.matchesRefusal(refusal))
      .map(refusalRow);
    return {
      ...(entries.length > 0 && { rows: await entryRows(this.#inbox, entries, filter.resource) }),
      ...(gone.length > 0 && { gone }),
      ...(refused.length > 0 && { refusals: refused }),
    };
  }

  #lookAgain(): void {
    if (this.#pages.size === 0) this.#pending.clear();
    for (const seq of this.#pending) this.touch(seq);
    this.#pending.clear(); // entries still in progress are added again by the next update
  }

  #countAgain(): void {
    if (this.#isCounted || this.#pages.size === 0) return;
    this.#isCounted = true;
    this.#counting = this.#counting.then(() => this.#sendFailed());
  }

  async #sendFailed(): Promise<void> {
    try {
      const failed = failedCounts(await this.#inbox.counts());
      for (const page of this.#pages) sendNews(page, "failed", failed);
    } catch {
      this.#isCounted = false; // the inbox could not be read; counted again soon
    }
  }

  #sendDrifts(page: Page): void {
    if (this.#drifts > 0) sendNews(page, "drift", { drifts: this.#drifts });
  }

  #beat(): void {
    for (const { response } of this.#pages) response.write(": alive\n\n");
  }

  #caughtUp(page: Page): void {
    if (!page.behind) return;
    page.behind = false;
    this.#isCounted = false;
    send(page, "gap", {});
    this.#sendDrifts(page);
  }
}

/** Sends what a page was not told yet. */
function sendNews(page: Page, name: "failed" | "drift", value: object): void {
  const text = JSON.stringify(value);
  if (page.behind || page.reported.get(name) === text) return;
  page.reported.set(name, text);
  send(page, name, value);
}

function send(page: Page, name: string, value: object): void {
  if (Object.keys(value).length === 0 && name === "update") return;
  page.response.write(`event: ${name}\ndata: ${JSON.stringify(value)}\n\n`);
  page.behind = page.response.writableLength > MAX_BEHIND;
}
