import { subscribe, unsubscribe } from "node:diagnostics_channel";
import type { Server } from "node:http";
import { describe, expect, it, onTestFinished } from "vitest";
import type { Inbox } from "../../src/inbox/inbox.ts";
import { memoryInbox } from "../../src/inbox/memory.ts";
import { handleOf } from "../../src/inbox/shared/handle.ts";
import { openEndpoint } from "../receiver/open.ts";
import { bytes, freshEnvelope, gate, signedHeaders, until, wrapInbox } from "../receiver/sample.ts";
import { dial, RAW_ADAPTERS, readAll } from "../receiver/wire.ts";

const head = (headers: Record<string, string>, length: number, start = "POST /webhooks") => {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  return `${start} HTTP/1.1\r\nHost: x\r\nContent-Length: ${length}\r\n${lines.join("")}\r\n`;
};
const unsigned = `${head({}, 2)}{}`;
const signed = () => {
  const body = bytes(freshEnvelope());
  return head(signedHeaders(body), body.length) + body.toString();
};
const statuses = (text: string) =>
  [...text.matchAll(/HTTP\/1\.1 (\d{3})/g)].map((match) => Number(match[1]));
const times = (count: number, status: number) => Array.from({ length: count }, () => status);

/**
 * Until the test ends, servers do not close idle connections, as Node has them do after 5 seconds.
 */
function keepIdleConnections(): void {
  const onRequest = (message: unknown) => {
    (message as { server: Server }).server.keepAliveTimeout = 0;
  };
  subscribe("http.server.request.start", onRequest);
  onTestFinished(() => void unsubscribe("http.server.request.start", onRequest));
}

describe.each(RAW_ADAPTERS)("pipelined requests over $name", (adapter) => {
  it("get 503 after 8 were refused, and the connection is closed", async () => {
    keepIdleConnections();
    const { url, outcomes, entries } = await openEndpoint(adapter);
    const socket = await dial(url);
    const kinds = [unsigned, head({}, 0, "POST /webhooks/elsewhere"), head({}, 0, "GET /webhooks")];
    socket.write(kinds.join("").repeat(7) + signed());
    const text = String(await readAll(socket));
    const answers = statuses(text);
    const judged = answers.indexOf(503);
    // One or two are in progress when the eighth is refused. What an app answers with 404 itself is
    // not counted.
    const byApp = /in an app|fastify/.test(adapter.name) ? 4 : 0;
    expect(judged).toBeGreaterThanOrEqual(8 + byApp - 1);
    expect(judged).toBeLessThanOrEqual(10 + byApp);
    expect(answers.slice(0, 8)).toEqual([401, 404, 405, 401, 404, 405, 401, 404]);
    // Fastify's plugin sees its own routes only, so the app still answers the others with 404.
    const after = answers
      .slice(judged)
      .filter((status) => adapter.name !== "fastifyReceiver" || status !== 404);
    expect(after).toEqual(times(after.length, 503));
    expect(after.length).toBeGreaterThanOrEqual(5);
    expect(text).toContain("Retry-After: 5");
    const ours = answers.slice(0, judged).filter((status) => byApp === 0 || status !== 404);
    expect(outcomes()).toHaveLength(ours.length); // the others were skipped
    expect(await entries()).toEqual([]);
  });

  it("are answered in order, including those before the refused ones", async () => {
    const { opened, open } = gate();
    const store = memoryInbox();
    const append: Inbox["append"] = async (...given) => {
      await opened;
      return store.append(...given);
    };
    const { url, outcomes } = await openEndpoint(adapter, {
      inbox: handleOf(wrapInbox(store, { append })),
    });
    const socket = await dial(url);
    const text = readAll(socket);
    socket.write(signed() + unsigned.repeat(20));
    await until(() => expect(outcomes().length).toBeGreaterThanOrEqual(8));
    await new Promise((resolve) => setTimeout(resolve, 50));
    open();
    const answers = statuses(String(await text));
    expect(answers.slice(0, 9)).toEqual([200, ...times(8, 401)]);
    expect(answers).toHaveLength(21);
  });

  it("are judged one by one if they are authentic, or if fewer are refused", async () => {
    const { url, entries } = await openEndpoint(adapter);
    const socket = await dial(url);
    const mixed = Array.from({ length: 7 }, () => signed() + unsigned);
    const closing = signed().replace("Host: x", "Host: x\r\nConnection: close");
    socket.write([...mixed, ...Array.from({ length: 30 }, signed), closing].join(""));
    const answers = statuses(String(await readAll(socket)));
    expect(answers).toEqual([...mixed.flatMap(() => [200, 401]), ...times(31, 200)]);
    expect(await entries()).toHaveLength(38);
  });

  it("are not assumed if a sender waits for each answer, however many are refused", async () => {
    const { url, outcomes } = await openEndpoint(adapter);
    const socket = await dial(url);
    for (let n = 0; n < 30; n++) {
      const answer = new Promise<string>((resolve) =>
        socket.once("data", (chunk) => resolve(String(chunk))),
      );
      socket.write(unsigned);
      expect(statuses(await answer)).toEqual([401]);
    }
    expect(outcomes()).toHaveLength(30);
    expect(socket.closed).toBe(false);
  });
});
