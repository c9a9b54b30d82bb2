import { expect, onTestFinished } from "vitest";
import {
  createReceiver,
  type Observation,
  type Receiver,
  type ReceiverOptions,
} from "../../src/entries/index.ts";
import type { Entry } from "../../src/inbox/entry.ts";
import { inboxOf } from "../../src/receiver/inbox-view.ts";
import type { DeliveryObservation } from "../../src/receiver/observation.ts";
import { bytes, frozenClock, keptLog, SECRET, signedHeaders, until } from "./sample.ts";
import type { Adapter, Reply, Request } from "./wire.ts";
import { send } from "./wire.ts";

/**
 * Starts a receiver with a frozen clock, and returns it with what tests inspect. Closed when the
 * test ends.
 */
export async function openReceiver(options: Partial<ReceiverOptions> = {}) {
  const made = makeReceiver(options);
  await made.receiver.start();
  return made;
}

/** The same, before it is started. */
export function makeReceiver(options: Partial<ReceiverOptions> = {}) {
  const { log, lines } = keptLog();
  const clock = frozenClock();
  const receiver: Receiver = createReceiver({
    secret: SECRET,
    inbox: "memory:",
    log,
    clock: () => clock.now,
    poll: 5,
    drainTimeout: 50,
    ...options,
  } as ReceiverOptions<Record<never, never>>);
  const seen: Observation[] = [];
  receiver.observe((observation) => seen.push(observation));
  onTestFinished(() => receiver.close());
  const entries = (): Promise<readonly Entry[]> => inboxOf(receiver).list({});
  /** The only entry. */
  const entry = async (): Promise<Entry> => {
    const [only, ...others] = await entries();
    expect(others).toEqual([]);
    if (only === undefined) throw new Error("expected an entry, got none");
    return only;
  };
  const untilState = (state: Entry["state"]) =>
    until(async () => expect(await entry()).toMatchObject({ state }));
  const outcomes = () =>
    seen
      .filter((observation): observation is DeliveryObservation => observation.type === "delivery")
      .map(({ outcome }) => outcome);
  return { receiver, lines, clock, seen, outcomes, entries, entry, untilState };
}

/** A receiver listening behind one of the adapters. */
export async function openEndpoint(
  adapter: Pick<Adapter, "listen">,
  options: Partial<ReceiverOptions> = {},
) {
  const opened = await openReceiver(options);
  const url = await adapter.listen(opened.receiver);
  return { ...opened, url, ...posting(url) };
}

/** Functions that send requests to an endpoint. */
export function posting(url: URL) {
  /** Signs and sends an envelope, a string or bytes. */
  const post = (content: object | string, secret?: string): Promise<Reply> => {
    const body = bytes(content);
    return send(url, { body, headers: signedHeaders(body, secret) });
  };
  return { post, ask: (request: Request) => send(url, request) };
}

/** An answer's body, parsed. */
export function json(reply: Reply): unknown {
  expect(reply.headers["content-type"]).toBe("application/json");
  expect(Number(reply.headers["content-length"])).toBe(Buffer.byteLength(reply.text));
  return JSON.parse(reply.text);
}

/** Expects an error answer in the service's format. */
export function expectError(reply: Reply, status: number, type: string, field?: string): void {
  expect(reply.status).toBe(status);
  const error = { type, message: expect.any(String), ...(field !== undefined && { field }) };
  expect(json(reply)).toEqual({ error });
}

/** The report of a drain that found nothing to do. */
export const NOTHING = {
  waiting: 0,
  failing: 0,
  handled: 0,
  dead: 0,
  received: 0,
  returned: 0,
  nextRunAt: undefined,
};
