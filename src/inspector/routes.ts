import type { Delivery } from "../event/delivery.ts";
import { failedCounts, stateCounts } from "../inbox/counts.ts";
import { type FailureGroup, failureGroups, failuresLike } from "../inbox/failures.ts";
import type { Inbox } from "../inbox/inbox.ts";
import { pauseLines } from "../inbox/paced-retry.ts";
import { mismatchedSources } from "../receiver/mismatch-text.ts";
import { fixtureName, formatDelivery } from "../relay/fixture.ts";
import { invalidRequest, RequestError, wrongMethod } from "./answer.ts";
import { listSamples } from "./changes/actions.ts";
import type { PausesShown } from "./changes/bulk-api.ts";
import { tallyMany } from "./changes/bulk-change.ts";
import { EFFECTS } from "./changes/effects.ts";
import { type InspectorContext, json, type Route } from "./context.ts";
import { curlCommand } from "./entries/curl-command.ts";
import { describeEntry, findEntry, findKept, listEntries } from "./entries/entries.ts";
import { findFilter } from "./entries/filter.ts";
import { findRelated } from "./entries/find-related.ts";
import { hiddenHeaders, shownBody, withoutCredentials } from "./entries/shown-delivery.ts";
import type { FailureRow, Overview } from "./overview/overview-api.ts";

const FAILURES_SHOWN = 20; // errors in the overview, those with most entries

const GET: Readonly<Record<string, Route>> = {
  "/api/status": async ({ status }) => json(await status()),
  "/api/overview": async (context) => json(await overview(context)),
  "/api/pauses": async ({ inbox, outgoing }) => json(await pausesShown(inbox, outgoing.clock())),
  "/api/drifts": async ({ drifts }) => json(drifts.notes),
  "/api/samples": async ({ outgoing }) => json(listSamples(outgoing)),
  "/api/entries": async ({ inbox }, { query }) =>
    json(await listEntries(inbox, await findFilter(inbox, query), query)),
  "/api/entries/:id": async (context, { id }) =>
    json(await describeEntry(await findEntry(context.inbox, id), context)),
  "/api/entries/:id/related": async ({ inbox }, { id }) =>
    json(await findRelated(inbox, await findEntry(inbox, id))),
  "/api/entries/:id/alike": async ({ inbox }, { id }) => {
    const { seq } = await findEntry(inbox, id);
    const group = await failuresLike(inbox, seq);
    return json(group === undefined ? null : failureRow(group));
  },
  "/api/entries/:id/body": async ({ inbox }, { id }) => {
    const { entry, delivery } = await findKept(inbox, id);
    return { type: "file", name: `entry-${entry.seq}-body.json`, bytes: delivery.body };
  },
  "/api/entries/:id/fixture": async ({ inbox, signing }, { id, query }) => {
    const { entry, delivery } = await findKept(inbox, id);
    const name = fixtureName(delivery.receivedAt, entry.seq, entry.kind, entry.key.eventId);
    const shown = toPassOn(delivery, query, signing).delivery;
    return { type: "file", name, bytes: Buffer.from(formatDelivery(shown), "utf8") };
  },
  "/api/entries/:id/curl": async ({ inbox, outgoing, signing }, { id, query }) => {
    const { delivery, hidden } = toPassOn((await findKept(inbox, id)).delivery, query, signing);
    return { type: "text", text: curlCommand(delivery, outgoing.endpoint, hidden) };
  },
  "/api/handlers": async ({ receiver }, { query }) =>
    json(receiver.handlersFor(query.get("kind") ?? "")),
  "/api/counts": async ({ inbox, countRows }, { query }) =>
    json(await countRows(await findFilter(inbox, query))),
  "/api/tally": async (context, { query }) => json(await tallyMany(context, query)),
  "/api/refusals": async ({ inbox, refusals }, { query }) =>
    json(refusals.list((await findFilter(inbox, query)).matchesRefusal)),
  "/api/refusals/:id": async ({ refusals, bodies }, { id }) => {
    const refusal = refusals.find(id);
    const body = refusal && bodies.bodyOf(refusal.id);
    if (refusal !== undefined)
      return json({ ...refusal, id, body: body === undefined ? null : shownBody(body) });
    throw new RequestError(
      404,
      "refusal_unknown",
      "it is no longer remembered: only the latest 500 are",
    );
  },
  "/api/live": async ({ inbox, feed }, { query, response }) => {
    const filter = await findFilter(inbox, query);
    if (feed.full)
      throw new RequestError(
        503,
        "too_many_pages",
        "too many inspector pages are open: close some",
      );
    feed.follow(response, filter);
    return undefined;
  },
};

const ROUTES: Readonly<Record<string, Readonly<Record<string, Route>>>> = { GET, POST: EFFECTS };

/** The name of every route, such as `GET /api/status`. */
export const ROUTE_NAMES: readonly string[] = Object.entries(ROUTES).flatMap(([method, routes]) =>
  Object.keys(routes).map((path) => `${method} ${path}`),
);

/**
 * Finds the route for a method and a path, and the value of `:id`. @throws RequestError 404, 405
 */
export function findRoute(
  method: string,
  path: string,
): { readonly route: Route; readonly id: string } {
  const [, id = ""] = /^\/api\/(?:entries|refusals)\/([^/]+)/.exec(path) ?? [];
  const pattern = id === "" ? path : path.replace(`/${id}`, "/:id");
  const found = (text: string) => {
    const routes = ROUTES[text];
    return routes !== undefined && Object.hasOwn(routes, pattern) ? routes[pattern] : undefined;
  };
  const route = Object.hasOwn(ROUTES, method) ? found(method) : undefined;
  if (route !== undefined) return { route, id };
  const allowed = Object.keys(ROUTES).filter((key) => found(key) !== undefined);
  if (allowed.length > 0) throw wrongMethod(allowed);
  throw new RequestError(404, "not_found", "Not found.");
}

/** A delivery as it is copied or saved: without credentials, unless the query asks for them. */
function toPassOn(
  delivery: Delivery,
  query: URLSearchParams,
  { signatureHeader }: InspectorContext["signing"],
) {
  const asked = query.get("credentials");
  if (asked === "include") return { delivery, hidden: [] };
  if (asked !== null) throw invalidRequest("expected credentials to be include, or to be left out");
  return {
    delivery: withoutCredentials(delivery, signatureHeader),
    hidden: hiddenHeaders(delivery.headers, signatureHeader),
  };
}

async function pausesShown(inbox: Inbox, now: number): Promise<PausesShown> {
  const pauses = await inbox.pauses();
  const scopes = pauses.paused.map(({ scope, name }) => ({ scope, name }));
  return { lines: pauseLines(pauses, now), scopes };
}

function failureRow({ words, at, seqs, failing, dead, kinds, since }: FailureGroup): FailureRow {
  return { error: words, at, failing, dead, kinds, since, like: seqs.at(-1) ?? 0 };
}

async function overview({
  inbox,
  meter,
  outgoing,
  failures: known,
}: InspectorContext): Promise<Overview> {
  await meter.fates.lookUp((filter) => inbox.list(filter));
  const stored = await inbox.counts();
  const counts = stateCounts(stored);
  const failed = failedCounts(stored);
  const now = outgoing.clock();
  const senders = await inbox.senders().catch(() => []);
  const mismatched = mismatchedSources(senders, now).map(({ text }) => text);
  const { groups, isPart } = await known.read(() => failureGroups(inbox));
  const failures = groups.slice(0, FAILURES_SHOWN).map(failureRow);
  const damage = inbox.damage?.message ?? null;
  return {
    ...meter.read(now),
    counts,
    failed,
    damage,
    mismatched,
    failures,
    failuresArePart: isPart,
  };
}
