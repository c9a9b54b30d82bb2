import { changeEntries } from "../../inbox/change-entries.ts";
import { PAUSE_SCOPES, type PauseOf } from "../../inbox/pause.ts";
import { DROPPED } from "../../inbox/target-wait.ts";
import { RequestError } from "../answer.ts";
import { type InspectorContext, json, type Route } from "../context.ts";
import { findEntry, findKept } from "../entries/entries.ts";
import { type Fields, readFields } from "../read-request.ts";
import { forward, replay, sendText } from "./actions.ts";
import { changeMany } from "./change-many.ts";
import { triggerSamples } from "./trigger-samples.ts";

type Effect = (context: InspectorContext, call: { id: string; fields: Fields }) => Promise<unknown>;

const ANSWERS: Readonly<Record<string, Effect>> = {
  "/api/entries/:id/replay": async ({ inbox, outgoing }, { id, fields }) =>
    replay(await findKept(inbox, id), fields, outgoing),
  "/api/entries/:id/forward": async ({ inbox, outgoing }, { id, fields }) =>
    forward(await findKept(inbox, id), fields, outgoing),
  "/api/entries/:id/retry": async (context, { id }) => {
    const { entry, due, ended } = await change(context, id, "retry");
    if (due + ended > 0) return { retried: due + ended };
    const why = `expected a waiting, failing, dead or received entry, got one that is ${entry.state}: it cannot be retried`;
    throw new RequestError(409, "not_retried", why);
  },
  "/api/entries/:id/drop": async (context, { id }) => {
    const { entry, dropped } = await change(context, id, "drop");
    if (dropped > 0) return { dropped };
    const state = entry.reason === DROPPED ? "dropped already" : entry.state;
    const why = `expected an entry that is not handled, got one that is ${state}: leave it as it is`;
    throw new RequestError(409, "not_dropped", why);
  },
  "/api/pause": async ({ inbox, outgoing }, { fields }) => {
    await inbox.pause({ ...readPauseOf(fields), since: outgoing.clock(), who: "the inspector" });
    return {};
  },
  "/api/resume": async ({ inbox, outgoing }, { fields }) => ({
    resumed: (await inbox.resume(readPauseOf(fields), inbox.now ?? outgoing.clock())) === true,
  }),
  "/api/send": async ({ outgoing }, { fields }) => sendText(fields, outgoing),
  "/api/trigger": async ({ outgoing }, { fields }) => triggerSamples(fields, outgoing),
};

export const EFFECTS: Readonly<Record<string, Route>> = {
  ...Object.fromEntries(Object.entries(ANSWERS).map(([path, effect]) => [path, routeOf(effect)])),
  "/api/change": changeMany,
};

async function change(
  { inbox, outgoing, feed }: InspectorContext,
  id: string,
  what: "retry" | "drop",
) {
  const entry = await findEntry(inbox, id);
  const changed = await changeEntries(inbox, what, { seq: entry.seq }, outgoing.clock());
  feed.touch(entry.seq);
  return { entry, ...changed };
}

function readPauseOf(fields: Fields): PauseOf {
  return { scope: fields.oneOf("scope", PAUSE_SCOPES), name: fields.text("name") };
}

function routeOf(effect: Effect): Route {
  return async (context, { id, request }) =>
    json(await effect(context, { id, fields: await readFields(request) }));
}
