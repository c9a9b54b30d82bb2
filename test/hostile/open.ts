import { expect, onTestFinished } from "vitest";
import { type RunningServer, startServer } from "../../src/adapters/server.ts";
import type { ReceiverOptions } from "../../src/entries/index.ts";
import { inboxOf } from "../../src/receiver/inbox-view.ts";
import { openReceiver, posting } from "../receiver/open.ts";
import { freshEnvelope, inboxFile, keptBytes, uncaught } from "../receiver/sample.ts";
import { dial, readAll, splitAnswer } from "../receiver/wire.ts";

/**
 * Starts the server of `listen` on a free local port, with an inbox file; both end with the test.
 */
export async function openServer(options: Partial<ReceiverOptions> = {}) {
  const caught = uncaught();
  const opened = await openReceiver({ inbox: inboxFile(), ...options });
  const { receiver, outcomes, entries, entry } = opened;
  const server: RunningServer = await startServer(receiver, {
    port: 0,
    host: "127.0.0.1",
    path: "/webhooks",
  });
  onTestFinished(() => server.close());
  const { url } = server;
  const { post, ask } = posting(url);

  /** Writes bytes on a new connection; returns everything received until the server closes it. */
  const raw = async (...pieces: readonly (string | Uint8Array)[]) => {
    const socket = await dial(url);
    // a small piece does not wait for the acknowledgement of the one before
    socket.setNoDelay(true);
    for (const piece of pieces) socket.write(piece);
    return (await readAll(socket)).toString("latin1");
  };
  return {
    ...opened,
    server,
    url,
    post,
    ask,
    raw,
    caught,
    /** The status of the answer to bytes on a connection that the receiver must close. */
    rawStatus: async (...pieces: readonly (string | Uint8Array)[]) =>
      splitAnswer(Buffer.from(await raw(...pieces), "latin1")).status,
    /** For each outcome so far, its reason, or its type if it has none. */
    reasons: () =>
      outcomes().map((outcome) => {
        if (outcome.type === "rejected") return outcome.rejection.reason;
        return "reason" in outcome && outcome.reason !== undefined ? outcome.reason : outcome.type;
      }),
    /** Expects that the inbox is empty. */
    nothingKept: async () => {
      expect(await entries()).toEqual([]);
      expect(Object.values(await inboxOf(receiver).counts()).filter((count) => count > 0)).toEqual(
        [],
      );
      expect(await inboxOf(receiver).delivery(1)).toBeUndefined();
    },
    /** Expects exactly one entry, a dead letter with the bytes as sent. */
    onlyDeadLetter: async (reason: string, body: Uint8Array) => {
      const only = await entry();
      expect(only).toMatchObject({ state: "dead", reason, attempts: 0 });
      expect(await keptBytes(inboxOf(receiver), only.seq)).toEqual(Buffer.from(body));
    },
    /** Expects that an honest sender is still served, and that there was no uncaught error. */
    stillServes: async (secret?: string) => {
      expect((await post(freshEnvelope(), secret)).status).toBe(200);
      expect(caught).toEqual([]);
    },
  };
}

/** The head of a raw request: the `Host` header, then the given ones. */
export function head(
  headers: Readonly<Record<string, string | number>>,
  start = "POST /webhooks",
): string {
  const lines = Object.entries({ host: "receiver.test", ...headers }).map(
    ([name, value]) => `${name}: ${value}\r\n`,
  );
  return `${start} HTTP/1.1\r\n${lines.join("")}\r\n`;
}

/** The status codes in everything a connection received. */
export function statuses(answers: string): readonly number[] {
  return [...answers.matchAll(/HTTP\/1\.1 (\d{3})/g)].map((match) => Number(match[1]));
}

/** A chunk of a body: this many spaces. */
export function chunkOf(size: number): Buffer {
  const body = Buffer.alloc(size, 0x20);
  return Buffer.concat([Buffer.from(`${size.toString(16)}\r\n`), body, Buffer.from("\r\n")]);
}
