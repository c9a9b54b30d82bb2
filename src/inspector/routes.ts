import type { IncomingMessage, ServerResponse } from "node:http";
import type { Inbox } from "../inbox/inbox.ts";
import { DROPPED } from "../inbox/target-wait.ts";
import { DEFAULT_SOURCE } from "../receiver/options.ts";
import type { Receiver } from "../receiver/receiver.ts";
import { formatDelivery } from "../relay/fixture.ts";
import {
  bodyName,
  drop,
  entryFixtureName,
  forward,
  listSamples,
  redrive,
  replay,
  retry,
  sendText,
  trigger,
} from "./actions.ts";
import { RequestError, type RouteResult, wrongMethod } from "./answer.ts";
import type { Overview, Status } from "./api.ts";
import { curlCommand } from "./curl-command.ts";
import { describeEntry, findEntry, findKept, listEntries } from "./entries.ts";
import type { Signing } from "./explain-entry.ts";
import { readFilter } from "./filter.ts";
import { findPrevious } from "./find-previous.ts";
import type { LiveFeed } from "./live-feed.ts";
import type { Meter } from "./meter.ts";
import { readFields } from "./read-request.ts";
import type { Refusals } from "./refusals.ts";
import type { Repeats } from "./repeats.ts";
import { entryRow } from "./rows.ts";
import type { Outgoing } from "./send-delivery.ts";

/** What the routes need. */
export interface Workings {
  readonly inbox: Inbox;
  readonly signing: Signing;
  readonly outgoing: Outgoing;
  readonly refusals: Refusals;
  readonly repeats: Repeats;
  readonly meter: Meter;
  readonly feed: LiveFeed;
  readonly status: () => Promise<Status>;
  /** Which fields of an entry do not fit the current schemas. */
  readonly recheck: Receiver["recheck"];
}

/** An API request that has passed the checks. */
export interface Call {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly query: URLSearchParams;
  /** The value of `:id` in the route. */
  readonly id: string;
}

/** Answers a call; returns `undefined` if it writes to the response itself. */
type Route = (workings: Workings, call: Call) => Promise<RouteResult | undefined>;

const DEAD_SHOWN = 20;

/** The routes that change nothing. */
const GET: Readonly<Record<string, Route>> = {
  "/api/status": async ({ status }) => json(await status()),
  "/api/overview": async (workings) => json(await overview(workings)),
  "/api/samples": async () => json(listSamples()),
  "/api/entries": async ({ inbox }, { query }) => json(await listEntries(inbox, readFilter(query), query)),
  "/api/entries/:id": async ({ inbox, ...workings }, { id }) =>
    json(await describeEntry(inbox, await findEntry(inbox, id), workings)),
  "/api/entries/:id/previous": async ({ inbox }, { id }) =>
    json((await findPrevious(inbox, await findEntry(inbox, id))) ?? null),
  "/api/entries/:id/body": async ({ inbox }, { id }) => {
    const kept = await findKept(inbox, id);
    return { type: "file", name: bodyName(kept), bytes: kept.delivery.body };
  },
  "/api/entries/:id/fixture": async ({ inbox }, { id }) => {
    const kept = await findKept(inbox, id);
    const bytes = Buffer.from(formatDelivery(kept.delivery), "utf8");
    return { type: "file", name: entryFixtureName(kept), bytes };
  },
  "/api/entries/:id/curl": async ({ inbox, outgoing }, { id }) => {
    const { delivery } = await findKept(inbox, id);
    return { type: "text", text: curlCommand(delivery, outgoing.endpoint) };
  },
  "/api/refusals": async ({ refusals }, { query }) => json(refusals.list(readFilter(query).takes)),
  "/api/refusals/:id": async ({ refusals }, { id }) => {
    const refusal = refusals.find(id);
    if (refusal !== undefined) return json(refusal);
    throw new RequestError(404, "refusal_unknown", "it is no longer remembered: only the latest 500 are");
  },
  "/api/live": async ({ feed }, { query, response }) => {
    const filter = readFilter(query);
    if (feed.full)
      throw new RequestError(503, "too_many_pages", "too many inspector pages are open: close some");
    feed.follow(response, filter);
    return undefined;
  },
};

/** The routes with effects. */
const POST: Readonly<Record<string, Route>> = {
  "/api/entries/:id/replay": async ({ inbox, outgoing }, { id, request }) =>
    json(await replay(await findKept(inbox, id), await readFields(request), outgoing)),
  "/api/entries/:id/forward": async ({ inbox, outgoing }, { id, request }) =>
    json(await forward(await findKept(inbox, id), await readFields(request), outgoing)),
  "/api/entries/:id/redrive": async ({ inbox, outgoing, feed }, { id, request }) => {
    await readFields(request);
    const { seq, state } = await findEntry(inbox, id);
    const result = await redrive({ seq }, outgoing);
    feed.touch(seq);
    if (result.redriven > 0) return json(result);
    throw new RequestError(
      409,
      "not_redriven",
      `expected a dead or unhandled entry, got one that is ${state}: it cannot be redriven`,
    );
  },
  "/api/entries/:id/retry": async ({ inbox, outgoing, feed }, { id, request }) => {
    await readFields(request);
    const { seq, state } = await findEntry(inbox, id);
    const result = await retry({ seq }, outgoing);
    feed.touch(seq);
    if (result.retried > 0) return json(result);
    const why = `expected a pending, dead or unhandled entry, got one that is ${state}: it cannot be retried`;
    throw new RequestError(409, "not_retried", why);
  },
  "/api/entries/:id/drop": async ({ inbox, outgoing, feed }, { id, request }) => {
    await readFields(request);
    const { seq, state, reason } = await findEntry(inbox, id);
    const result = await drop({ seq }, outgoing);
    feed.touch(seq);
    if (result.dropped > 0) return json(result);
    const got = reason === DROPPED ? "one that is dropped already" : `one that is ${state}`;
    throw new RequestError(
      409,
      "not_dropped",
      `expected an entry that is not done, got ${got}: leave it as it is`,
    );
  },
  "/api/redrive": async ({ outgoing }, { query, request }) => {
    await readFields(request);
    const { entries } = readFilter(query);
    // Entries of other sources are shown, but this receiver does not run them.
    const own = { ...entries, sources: [DEFAULT_SOURCE] };
    if (entries.text === undefined) return json(await redrive(own, outgoing));
    throw new RequestError(
      400,
      "invalid_request",
      "expected no text filter, got one: it would search all bodies at once",
    );
  },
  "/api/send": async ({ outgoing }, { request }) => json(await sendText(await readFields(request), outgoing)),
  "/api/trigger": async ({ outgoing }, { request }) =>
    json(await trigger(await readFields(request), outgoing)),
};

const ROUTES: Readonly<Record<string, Readonly<Record<string, Route>>>> = { GET, POST };

/** The name of every route, such as `GET /api/status`. */
export const ROUTE_NAMES: readonly string[] = Object.entries(ROUTES).flatMap(([method, routes]) =>
  Object.keys(routes).map((path) => `${method} ${path}`),
);

/**
 * Finds the route for a method and a path, and the value of `:id`.
 *
 * @throws RequestError 404, 405
 */
export function findRoute(method: string, path: string): { readonly route: Route; readonly id: string } {
  const [, id = ""] = /^\/api\/(?:entries|refusals)\/([^/]+)/.exec(path) ?? [];
  const pattern = id === "" ? path : path.replace(`/${id}`, "/:id");
  const found = (one: string) => {
    const routes = ROUTES[one];
    return routes !== undefined && Object.hasOwn(routes, pattern) ? routes[pattern] : undefined;
  };
  const route = Object.hasOwn(ROUTES, method) ? found(method) : undefined;
  if (route !== undefined) return { route, id };
  const allowed = Object.keys(ROUTES).filter((one) => found(one) !== undefined);
  if (allowed.length > 0) throw wrongMethod(allowed);
  throw new RequestError(404, "not_found", "Not found.");
}

async function overview({ inbox, meter, outgoing }: Workings): Promise<Overview> {
  const dead = await inbox.list({ states: ["dead"], limit: DEAD_SHOWN });
  const counts = await inbox.counts();
  const waiting = await inbox.waiting();
  return { ...meter.read(outgoing.clock()), counts, waiting, dead: dead.toReversed().map(entryRow) };
}

function json(value: unknown): RouteResult {
  return { type: "json", value };
}
