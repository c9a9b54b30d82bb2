import { randomUUID } from "node:crypto";
import { request as httpRequest, type IncomingHttpHeaders } from "node:http";
import { expect, onTestFinished, vi } from "vitest";
import { startServer } from "../../src/adapters/server.ts";
import type { Receiver } from "../../src/entries/index.ts";
import {
  createReceiver,
  type EventKind,
  type Handler,
  type Logger,
  SIGNATURE_HEADER,
} from "../../src/entries/index.ts";
import { sampleEvent, signedRequest } from "../../src/entries/testing.ts";
import type { NewEntry } from "../../src/inbox/append.ts";
import type { Inbox } from "../../src/inbox/inbox.ts";
import { memoryInbox } from "../../src/inbox/memory.ts";
import { handleOf } from "../../src/inbox/shared/handle.ts";
import type { TokenRecord, TokenRecords } from "../../src/inspector/auth/known-tokens.ts";
import type { NamedHost } from "../../src/inspector/auth/named-host.ts";
import { startInspector } from "../../src/inspector/inspector.ts";
import type { DiagnoseRefusal } from "../../src/inspector/live/refused-bodies.ts";
import type { RunNotes } from "../../src/inspector/live/run-notes.ts";
import type { DriftWatch } from "../../src/receiver/drift.ts";
import { inboxOf } from "../../src/receiver/inbox-view.ts";
import { diagnoseSignature } from "../../src/signature/diagnose/diagnose.ts";
import { readHeader } from "../../src/signature/header.ts";
import { readSecrets } from "../../src/signature/secrets.ts";

export const SECRET = "a secret that is long enough for tests";

const SILENT: Logger = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };

/** Diagnoses a delivery in this thread, also one that is held. */
export const diagnoseHere: DiagnoseRefusal = async ({ body, headers, target }) => {
  const bytes = body === undefined ? new Uint8Array(0) : body();
  if (bytes === undefined) return undefined;
  const header = readHeader(headers, SIGNATURE_HEADER);
  return diagnoseSignature(bytes, header, readSecrets(SECRET), { headers, target });
};

/** The options of an inspector under test. */
export interface OpenOptions {
  readonly inbox?: Inbox;
  /** Registered for every kind. */
  readonly handler?: Handler;
  readonly targets?: readonly URL[];
  readonly attempts?: number;
  readonly log?: Logger;
  /** Default `Date.now`. */
  readonly clock?: () => number;
  /** The inspector's port. Default: any free one. */
  readonly port?: number;
  readonly hosts?: readonly NamedHost[];
  /** Default: nowhere. */
  readonly tokenRecords?: TokenRecords;
  readonly runNotes?: RunNotes;
  readonly drift?: DriftWatch;
  /** Default: each refused delivery is diagnosed at once. */
  readonly diagnose?: DiagnoseRefusal;
}

/** Records of tokens in memory, as one folder's files keep them. */
export function recordsInMemory(): TokenRecords {
  let kept: readonly TokenRecord[] = [];
  const seed = randomUUID();
  return {
    read: () => kept,
    write: (records) => {
      kept = records;
    },
    seed: () => seed,
  };
}

/** Reserves milliseconds up to now for events that are triggered, as one folder's file does. */
function instantsAt(clock: () => number) {
  let last = 0;
  return async (count: number) => {
    const first = Math.max(clock() - count + 1, last + 1);
    last = first + count - 1;
    return first;
  };
}

/** A receiver and its inspector, both on free ports; they end with the test. */
export async function openInspector(options: OpenOptions = {}) {
  const {
    inbox = memoryInbox(),
    handler,
    targets = [],
    attempts = 2,
    log = SILENT,
    clock = Date.now,
    port: wanted = 0,
    hosts = [],
    tokenRecords = recordsInMemory(),
    runNotes,
    drift,
    diagnose = diagnoseHere,
  } = options;
  const receiver = createReceiver({
    secret: SECRET,
    inbox: handleOf(inbox),
    log,
    clock,
    poll: 20,
    drainTimeout: 500,
    retry: { attempts, delay: 1, jitter: 0 },
    drift,
  });
  if (handler !== undefined) receiver.on("*", handler, { name: "own" });
  await receiver.start();
  const server = await startServer(receiver, { port: 0, host: "127.0.0.1", path: "/webhooks" });
  const inspector = await startInspector({
    receiver,
    endpoint: server.url,
    secrets: [SECRET],
    signatureHeader: SIGNATURE_HEADER,
    port: wanted,
    hosts,
    inboxName: "in memory",
    handlers: null,
    targets,
    log,
    clock,
    tokenRecords,
    diagnose,
    generatedData: undefined,
    reserveTimestamps: instantsAt(clock),
    ...(runNotes !== undefined && { runNotes }),
  });
  let closed = false;
  const close = async () => {
    if (closed) return;
    closed = true;
    await inspector.close();
    await server.close();
    await receiver.close();
  };
  onTestFinished(close);
  const port = Number(inspector.url.port);
  const token = inspector.url.hash.replace("#token=", "");
  const api = async (path: string, body?: object) => {
    const headers = {
      authorization: `Bearer ${token}`,
      ...(body && { "content-type": "application/json" }),
    };
    const method = body === undefined ? "GET" : "POST";
    const sent = { method, headers, ...(body && { body: JSON.stringify(body) }) };
    const got = await raw(port, path, sent);
    return { ...got, json: got.type === "application/json" ? JSON.parse(got.text) : undefined };
  };
  const deliver = async (content: EventKind | Uint8Array | object, secret = SECRET) => {
    const envelope = typeof content === "string" ? sampleEvent(content) : content;
    const signed = signedRequest(envelope as Uint8Array, { secret });
    const { headers, body } = signed;
    return (await fetch(server.url, { method: "POST", headers, body })).json();
  };
  return { receiver, inspector, endpoint: server.url, port, token, api, deliver, close };
}

/** Sends a request unchanged: no client rewrites its `Host`, as `fetch` would. */
export function raw(
  port: number,
  path: string,
  {
    method = "GET",
    headers = {},
    body = "",
  }: { method?: string; headers?: Record<string, string | string[]>; body?: string } = {},
): Promise<{
  status: number;
  headers: IncomingHttpHeaders;
  text: string;
  bytes: Buffer;
  type: string;
}> {
  return new Promise((resolve, reject) => {
    const options = { host: "127.0.0.1", port, path, method, headers, agent: false };
    const request = httpRequest(options, async (response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of response) chunks.push(chunk);
      const bytes = Buffer.concat(chunks);
      const type = String(response.headers["content-type"] ?? "");
      resolve({
        status: response.statusCode ?? 0,
        headers: response.headers,
        text: String(bytes),
        bytes,
        type,
      });
    });
    request.on("error", reject);
    request.end(body);
  });
}

/** Waits until something holds. */
export const until = <Value>(check: () => Value | Promise<Value>): Promise<Value> =>
  vi.waitFor(check, { timeout: 20_000, interval: 10 });

/** Waits until the receiver has as many entries in each state as given. */
export const untilCounts = (receiver: Receiver, counts: object): Promise<void> =>
  until(async () => expect(await inboxOf(receiver).counts()).toMatchObject(counts));

/** A dead letter with this body, as an inbox keeps it. */
export const deadLetter = (number: number, body = "{}", receivedAt = number): NewEntry => ({
  key: { source: "service", eventId: `evt_${number}`, timestamp: number },
  kind: "lead.created",
  eventTimestamp: number,
  state: "dead",
  reason: "too_old",
  orderKey: null,
  delivery: {
    method: "POST",
    target: "/webhooks",
    headers: {},
    body: Buffer.from(body),
    receivedAt,
  },
});
