import { expect, onTestFinished, vi } from "vitest";
import { startServer } from "../../../src/adapters/server.ts";
import { createReceiver, type EventKind } from "../../../src/entries/index.ts";
import {
  type SandboxObservation,
  type SandboxOptions,
  startSandbox,
} from "../../../src/entries/sandbox.ts";
import { keptLog } from "../../receiver/sample.ts";
import { type Reply, send } from "../../receiver/wire.ts";

/** A key that any sandbox accepts. */
export const KEY = "sk_test_of_the_sandbox_tests";

/** The secret of the subscriptions. */
export const SECRET = "sandbox-tests-secret-0123456789";

/** Polls until an expectation holds, on a machine that may be busy. */
export function until<Value>(check: () => Value | Promise<Value>): Promise<Value> {
  return vi.waitFor(check, { timeout: 10_000, interval: 3 });
}

/** A sandbox on a free port that retries quickly, with helpers for tests. It ends with the test. */
export async function openSandbox(options: SandboxOptions = {}) {
  const { log, lines } = keptLog();
  const sandbox = await startSandbox({ port: 0, retry: { delay: 1, factor: 1 }, log, ...options });
  onTestFinished(() => sandbox.close());
  const seen: SandboxObservation[] = [];
  sandbox.observe((observation) => seen.push(observation));

  /** Sends a request as an API client does; a body makes it a POST. */
  const ask = (
    path: string,
    { body, headers = {}, method, key = KEY }: Asked = {},
  ): Promise<Reply> => {
    const json = body === undefined ? {} : { "content-type": "application/json" };
    const bytes = typeof body === "string" ? body : JSON.stringify(body);
    return send(sandbox.url, {
      target: path,
      method: method ?? (body === undefined ? "GET" : "POST"),
      headers: { authorization: `Bearer ${key}`, ...json, ...headers },
      ...(body !== undefined && { body: Buffer.from(bytes) }),
    });
  };
  const subscribe = async (
    url: URL | string,
    events: readonly EventKind[],
    secret: string | null = SECRET,
  ) => {
    const reply = await ask("/v1/webhooks", {
      body: { url: String(url), events, ...(secret !== null && { secret }) },
    });
    if (reply.status !== 200) throw new Error(`not subscribed: ${reply.text}`);
    return String(JSON.parse(reply.text)._sandbox.id);
  };
  /** Waits until nothing is in progress; returns the log. */
  const settled = () =>
    until(() => {
      const open = sandbox.deliveries.filter(
        ({ state }) => state === "waiting" || state === "sending",
      );
      if (open.length > 0) throw new Error(`still under way: ${JSON.stringify(open)}`);
      return sandbox.deliveries;
    });
  return { sandbox, ask, subscribe, settled, seen, lines };
}

interface Asked {
  readonly body?: unknown;
  readonly headers?: Record<string, string>;
  readonly method?: string;
  readonly key?: string;
}

/** A receiver that counts what it handles. It ends with the test. */
export async function openCountingReceiver() {
  const { log } = keptLog();
  const receiver = createReceiver({
    secret: SECRET,
    inbox: "memory:",
    log,
    poll: 5,
    drainTimeout: 50,
  });
  const handled: string[] = [];
  const data: unknown[] = [];
  receiver.on("*", (event) => {
    handled.push(`${event.kind} ${event.timestamp}`);
    data.push(event.data);
  });
  await receiver.start();
  onTestFinished(() => receiver.close());
  const server = await startServer(receiver, { port: 0, host: "127.0.0.1", path: "/webhooks" });
  onTestFinished(() => server.close());
  return { receiver, url: server.url, handled, data };
}

/** An answer's body. */
export function json(reply: Reply): Record<string, unknown> {
  return JSON.parse(reply.text);
}

/** A request was refused, and the answer names the field, if one was wrong. */
export function expectInvalid(reply: Reply, field?: string): void {
  expect(reply.status).toBe(400);
  const error = { type: "invalid_request", message: expect.any(String), field };
  expect(json(reply)).toEqual({ error });
}
