import type { ServerResponse } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { CHANGEABLE, type Change } from "../../inbox/change-entries.ts";
import { countStates } from "../../inbox/counts.ts";
import type { Inbox } from "../../inbox/inbox.ts";
import type { Call, InspectorContext } from "../context.ts";
import { findFilter } from "../entries/filter.ts";
import { readFields } from "../read-request.ts";
import type { BulkFates, BulkProgress } from "./bulk-api.ts";
import { changeInSteps } from "./bulk-change.ts";

const CHANGES = Object.keys(CHANGEABLE) as Change[];
/** Entries that are followed after they were changed, and for how many milliseconds. */
export const MOST_FOLLOWED = 5000;
const FOLLOWED_FOR = 60_000;
const FOLLOWED_EVERY = 500;

/**
 * Changes the entries that match the list's filter; answers with a line of JSON per step, and one
 * with the result.
 */
export async function changeMany(
  { inbox, feed, outgoing: { clock } }: InspectorContext,
  { request, response, query }: Call,
): Promise<undefined> {
  const { entries: filter } = await findFilter(inbox, query);
  const fields = await readFields(request);
  const change = fields.oneOf("change", CHANGES);
  const upTo = fields.wholeNumber("upTo");
  const rate = fields.wholeNumber("rate", { least: 1, most: 100_000 });
  const bulk = {
    change,
    filter,
    takeBack: fields.flag("takeBack"),
    upTo,
    rate: change === "retry" ? rate : undefined,
  };
  const follows = change === "retry" && fields.flag("follow");
  const stopping = new AbortController();
  response.on("close", () => stopping.abort());
  response.on("error", () => {}); // the page has left
  let changed: readonly number[] = [];
  const onStep = (step: BulkProgress) => {
    if (!response.headersSent) response.writeHead(200, { "Content-Type": "application/x-ndjson" });
    if ("found" in step) return write(response, step);
    for (const seq of step.seqs) feed.touch(seq);
    if (changed.length < MOST_FOLLOWED) changed = changed.concat(step.seqs);
    write(response, { changed: step.changed, of: step.of });
  };
  const result = await changeInSteps(inbox, bulk, onStep, { clock, signal: stopping.signal });
  write(response, { result });
  if (follows) await reportFates(inbox, changed, response, stopping.signal);
  response.end();
  return undefined;
}

/** Writes what became of entries that run again, until all have ended or a minute is over. */
async function reportFates(
  inbox: Inbox,
  seqs: readonly number[],
  response: ServerResponse,
  signal: AbortSignal,
): Promise<void> {
  if (seqs.length === 0 || seqs.length > MOST_FOLLOWED) return;
  for (const end = performance.now() + FOLLOWED_FOR; performance.now() < end && !signal.aborted; ) {
    const fates: BulkFates = countStates(await inbox.list({ seqs }));
    write(response, { fates });
    if (fates.waiting + fates.running === 0) return;
    await sleep(FOLLOWED_EVERY, undefined, { signal }).catch(() => {}); // the page was closed
  }
}

function write(response: ServerResponse, line: object): void {
  if (!response.destroyed) response.write(`${JSON.stringify(line)}\n`);
}
