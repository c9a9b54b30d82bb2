import { changeEntries } from "../inbox/change-entries.ts";
import { DROPPED } from "../inbox/target-wait.ts";
import { forward, replay, sendText } from "./actions.ts";
import { RequestError } from "./answer.ts";
import { changeMany } from "./change-many.ts";
import { findEntry, findKept } from "./entries.ts";
import { readFields } from "./read-request.ts";
import { triggerSamples } from "./trigger-samples.ts";
import { json, type Route } from "./workings.ts";

/** The routes with effects. */
export const EFFECTS: Readonly<Record<string, Route>> = {
  "/api/entries/:id/replay": async ({ inbox, outgoing }, { id, request }) =>
    json(await replay(await findKept(inbox, id), await readFields(request), outgoing)),
  "/api/entries/:id/forward": async ({ inbox, outgoing }, { id, request }) =>
    json(await forward(await findKept(inbox, id), await readFields(request), outgoing)),
  "/api/entries/:id/redrive": async ({ inbox, outgoing, feed }, { id, request }) => {
    await readFields(request);
    const { seq, state } = await findEntry(inbox, id);
    const { redriven } = await changeEntries(inbox, "redrive", { seq }, outgoing.clock());
    feed.touch(seq);
    if (redriven > 0) return json({ redriven });
    throw new RequestError(
      409,
      "not_redriven",
      `expected a dead or unhandled entry, got one that is ${state}: it cannot be redriven`,
    );
  },
  "/api/entries/:id/retry": async ({ inbox, outgoing, feed }, { id, request }) => {
    await readFields(request);
    const { seq, state } = await findEntry(inbox, id);
    const { pending, redriven } = await changeEntries(inbox, "retry", { seq }, outgoing.clock());
    feed.touch(seq);
    if (pending + redriven > 0) return json({ retried: pending + redriven });
    const why = `expected a pending, dead or unhandled entry, got one that is ${state}: it cannot be retried`;
    throw new RequestError(409, "not_retried", why);
  },
  "/api/entries/:id/drop": async ({ inbox, outgoing, feed }, { id, request }) => {
    await readFields(request);
    const { seq, state, reason } = await findEntry(inbox, id);
    const { dropped } = await changeEntries(inbox, "drop", { seq }, outgoing.clock());
    feed.touch(seq);
    if (dropped > 0) return json({ dropped });
    const got = reason === DROPPED ? "one that is dropped already" : `one that is ${state}`;
    throw new RequestError(
      409,
      "not_dropped",
      `expected an entry that is not done, got ${got}: leave it as it is`,
    );
  },
  "/api/change": changeMany,
  "/api/send": async ({ outgoing }, { request }) => json(await sendText(await readFields(request), outgoing)),
  "/api/trigger": async ({ outgoing }, { request }) =>
    json(await triggerSamples(await readFields(request), outgoing)),
};
