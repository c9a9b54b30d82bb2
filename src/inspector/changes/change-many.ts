import type { ServerResponse } from "node:http";
import { CHANGEABLE, type Change } from "../../inbox/change-entries.ts";
import { DEFAULT_SOURCE } from "../../receiver/options/options.ts";
import { RequestError } from "../answer.ts";
import { readFilter, readNumber } from "../entries/filter.ts";
import { type Fields, readFields } from "../read-request.ts";
import type { Call, Workings } from "../workings.ts";
import type { BulkResult, Tally } from "./bulk-api.ts";
import { changeInSteps, tally } from "./bulk-change.ts";

/** The sources of entries that this receiver runs; those of others are shown, too. */
const SOURCES = [DEFAULT_SOURCE];

/** Counts what {@link changeMany} would find. */
export function tallyMany({ inbox }: Workings, query: URLSearchParams): Promise<Tally> {
  const before = readNumber(query, "before", Number.MAX_SAFE_INTEGER);
  return tally(inbox, readFilter(query).entries, { sources: SOURCES, before });
}

/** Changes the entries that match the list's filter; answers with a line of JSON per step, and one with the result. */
export async function changeMany(
  { inbox, feed, outgoing: { clock } }: Workings,
  { request, response, query }: Call,
): Promise<undefined> {
  const filter = readFilter(query).entries;
  const fields = await readFields(request);
  const change = readChange(fields);
  const upTo = fields.wholeNumber("upTo");
  const bulk = { change, filter, sources: SOURCES, takeBack: fields.flag("takeBack"), upTo };
  const stopping = new AbortController();
  response.on("close", () => stopping.abort());
  response.on("error", () => {}); // the page has left
  const steps = changeInSteps(inbox, bulk, { clock, signal: stopping.signal });
  for (;;) {
    const { done, value } = await steps.next();
    if (done) return end(response, value);
    if (!response.headersSent) response.writeHead(200, { "Content-Type": "application/x-ndjson" });
    if ("found" in value) write(response, value);
    else {
      for (const seq of value.seqs) feed.touch(seq);
      write(response, { changed: value.changed, of: value.of });
    }
  }
}

function readChange(fields: Fields): Change {
  const text = fields.text("change");
  if (isChange(text)) return text;
  const known = Object.keys(CHANGEABLE).join(", ");
  throw new RequestError(400, "invalid_request", `expected change to be one of ${known}`);
}

function isChange(text: string): text is Change {
  return Object.hasOwn(CHANGEABLE, text);
}

function end(response: ServerResponse, result: BulkResult): undefined {
  write(response, { result });
  response.end();
}

function write(response: ServerResponse, line: object): void {
  if (!response.destroyed) response.write(`${JSON.stringify(line)}\n`);
}
