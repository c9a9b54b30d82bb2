import { changeEntries } from "../../inbox/change-entries.ts";
import { DROPPED } from "../../inbox/target-wait.ts";
import { RequestError } from "../answer.ts";
import { findEntry, findKept } from "../entries/entries.ts";
import type { Route } from "../workings.ts";
import { forward, replay, sendText } from "./actions.ts";
import { changeMany } from "./change-many.ts";
import { type Effect, effectRoute } from "./effect-route.ts";
import { triggerSamples } from "./trigger-samples.ts";

/** Effects that are had once for each `Idempotency-Key`. */
const ONCE: Readonly<Record<string, Effect>> = {
  "/api/entries/:id/replay": async ({ inbox, outgoing }, { id, fields }) =>
    replay(await findKept(inbox, id), fields, outgoing),
  "/api/entries/:id/forward": async ({ inbox, outgoing }, { id, fields }) =>
    forward(await findKept(inbox, id), fields, outgoing),
  "/api/entries/:id/retry": async ({ inbox, outgoing, feed }, { id }) => {
    const { seq, state } = await findEntry(inbox, id);
    const { pending, ended } = await changeEntries(inbox, "retry", { seq }, outgoing.clock());
    feed.touch(seq);
    if (pending + ended > 0) return { retried: pending + ended };
    const why = `expected a pending, dead or unhandled entry, got one that is ${state}: it cannot be retried`;
    throw new RequestError(409, "not_retried", why);
  },
  "/api/entries/:id/drop": async ({ inbox, outgoing, feed }, { id }) => {
    const { seq, state, reason } = await findEntry(inbox, id);
    const { dropped } = await changeEntries(inbox, "drop", { seq }, outgoing.clock());
    feed.touch(seq);
    if (dropped > 0) return { dropped };
    const got = reason === DROPPED ? "one that is dropped already" : `one that is ${state}`;
    throw new RequestError(
      409,
      "not_dropped",
      `expected an entry that is not done, got ${got}: leave it as it is`,
    );
  },
  "/api/send": async ({ outgoing }, { fields }) => sendText(fields, outgoing),
  "/api/trigger": async ({ outgoing }, { fields }) => triggerSamples(fields, outgoing),
};

/** The routes with effects. */
export const EFFECTS: Readonly<Record<string, Route>> = {
  ...Object.fromEntries(Object.entries(ONCE).map(([path, effect]) => [path, effectRoute(effect)])),
  "/api/change": changeMany,
};
