import type { IncomingMessage } from "node:http";
import { RequestError } from "../answer.ts";
import { type Fields, readFields } from "../read-request.ts";
import { json, type Route, type Workings } from "../workings.ts";

/** What a request with an effect does; returns what is answered. */
export type Effect = (
  workings: Workings,
  call: { readonly id: string; readonly fields: Fields },
) => Promise<unknown>;

/** The route of an effect: requests with the same `Idempotency-Key` have it once, and get the same answer. */
export function effectRoute(effect: Effect): Route {
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
