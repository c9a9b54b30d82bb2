import type { IncomingMessage } from "node:http";
import { changeEntries } from "../../inbox/change-entries.ts";
import { entryState } from "../../inbox/entry-state.ts";
import { DROPPED } from "../../inbox/target-wait.ts";
import { RequestError } from "../answer.ts";
import { findEntry, findKept } from "../entries/entries.ts";
import { type Fields, readFields } from "../read-request.ts";
import { json, type Route, type Workings } from "../workings.ts";
import { forward, replay, sendText } from "./actions.ts";
import { changeMany } from "./change-many.ts";
import { triggerSamples } from "./trigger-samples.ts";

/** What a request with an effect does; returns what is answered. */
type Effect = (
  workings: Workings,
  call: { readonly id: string; readonly fields: Fields },
) => Promise<unknown>;

/** Effects that are had once for each `Idempotency-Key`. */
const ONCE: Readonly<Record<string, Effect>> = {
  "/api/entries/:id/replay": async ({ inbox, outgoing }, { id, fields }) =>
    replay(await findKept(inbox, id), fields, outgoing),
  "/api/entries/:id/forward": async ({ inbox, outgoing }, { id, fields }) =>
    forward(await findKept(inbox, id), fields, outgoing),
  "/api/entries/:id/retry": async ({ inbox, outgoing, feed }, { id }) => {
    const entry = await findEntry(inbox, id);
    const { seq } = entry;
    const { pending, ended } = await changeEntries(inbox, "retry", { seq }, outgoing.clock());
    feed.touch(seq);
    if (pending + ended > 0) return { retried: pending + ended };
    const why = `expected a waiting, failing, dead or received entry, got one that is ${entryState(entry)}: it cannot be retried`;
    throw new RequestError(409, "not_retried", why);
  },
  "/api/entries/:id/drop": async ({ inbox, outgoing, feed }, { id }) => {
    const entry = await findEntry(inbox, id);
    const { seq, reason } = entry;
    const { dropped } = await changeEntries(inbox, "drop", { seq }, outgoing.clock());
    feed.touch(seq);
    if (dropped > 0) return { dropped };
    const got = reason === DROPPED ? "one that is dropped already" : `one that is ${entryState(entry)}`;
    throw new RequestError(
      409,
      "not_dropped",
      `expected an entry that is not handled, got ${got}: leave it as it is`,
    );
  },
  "/api/send": async ({ outgoing }, { fields }) => sendText(fields, outgoing),
  "/api/trigger": async ({ outgoing }, { fields }) => triggerSamples(fields, outgoing),
};

export const EFFECTS: Readonly<Record<string, Route>> = {
  ...Object.fromEntries(Object.entries(ONCE).map(([path, effect]) => [path, effectRoute(effect)])),
  "/api/change": changeMany,
};

/** The route of an effect: requests with the same `Idempotency-Key` have it once, and get the same answer. */
function effectRoute(effect: Effect): Route {
  return async (workings, { id, request }) => {
    const key = readKey(request);
    const fields = await readFields(request);
    const work = () => effect(workings, { id, fields });
    const content = `${request.url} ${fields.digest}`;
    return json(key === undefined ? await work() : await workings.answered.once(key, content, work));
  };
}

/** @throws RequestError 400 */
function readKey({ headers }: IncomingMessage): string | undefined {
  const key = headers["idempotency-key"]?.toString();
  if (key === undefined || /^[A-Za-z0-9_-]{16,100}$/.test(key)) return key;
  const message = "expected an Idempotency-Key of 16 to 100 letters, digits, - or _, such as a UUID";
  throw new RequestError(400, "invalid_request", message);
}
