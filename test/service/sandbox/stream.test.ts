import { once } from "node:events";
import { describe, expect, it, onTestFinished } from "vitest";
import { WebSocket } from "ws";
import { eventKinds } from "../../../src/entries/index.ts";
import { ACKNOWLEDGE_HEADER } from "../../../src/service/stream/protocol.ts";
import { frozenClock } from "../../receiver/sample.ts";
import { KEY, openSandbox, until } from "./open.ts";

/**
 * A client of a stream that records messages and sends the given answers. It ends with the test.
 */
function dial(url: URL, { headers = {}, answer }: { headers?: object; answer?: string } = {}) {
  const acknowledge = answer === undefined ? {} : { [ACKNOWLEDGE_HEADER]: "1" };
  const socket = new WebSocket(url, {
    headers: { authorization: `Bearer ${KEY}`, ...acknowledge, ...headers },
  });
  onTestFinished(() => socket.terminate());
  const got: string[] = [];
  socket.on("error", () => {});
  socket.on("message", (data, isBinary) => {
    expect(isBinary).toBe(false);
    got.push(String(data));
    if (answer !== undefined) socket.send(answer);
  });
  const closed = new Promise<void>((resolve) => socket.on("close", () => resolve()));
  const opened = once(socket, "open");
  opened.catch(() => {}); // ignored by tests that do not await it
  return { socket, got, opened, closed };
}

/** The status with which a stream is refused. */
async function refusal(url: URL, headers: object): Promise<number> {
  const { socket } = dial(url, { headers });
  const [, response] = await once(socket, "unexpected-response");
  response.resume();
  return response.statusCode;
}

const OK = '{"status":200}';

it("opening a stream needs a key, the given one if there is one, from this machine, and not from a web page", async () => {
  const { sandbox } = await openSandbox();
  const { streamUrl } = sandbox;
  expect(await refusal(streamUrl, { authorization: "" })).toBe(401);
  expect(await refusal(streamUrl, { authorization: "Bearer sk_live_abc" })).toBe(401);
  expect(await refusal(streamUrl, { host: "rebound.example" })).toBe(403);
  expect(await refusal(streamUrl, { origin: sandbox.url.origin })).toBe(403);
  expect(await refusal(new URL("/_sandbox/other", streamUrl), {})).toBe(404);
  await dial(streamUrl).opened;
  const { sandbox: own } = await openSandbox({ apiKey: KEY });
  expect(await refusal(own.streamUrl, { authorization: "Bearer sk_test_other" })).toBe(401);
  await dial(own.streamUrl).opened;
});

describe("a stream", () => {
  it("carries the envelopes of all kinds as they would be posted, in order", async () => {
    const { sandbox, settled } = await openSandbox();
    const { got, opened } = dial(sandbox.streamUrl, { answer: OK });
    await opened;
    const caused = eventKinds.map((kind) => sandbox.emit(kind));
    const deliveries = await settled();
    const webhook = { id: "wh_sandbox_stream", url: sandbox.streamUrl.href };
    expect(got.map((text) => JSON.parse(text))).toEqual(
      caused.map(({ event, timestamp }) => ({
        event,
        timestamp,
        data: expect.any(Object),
        webhook,
      })),
    );
    expect(
      deliveries.every(
        ({ state, attempts }) => state === "delivered" && attempts[0]?.status === 200,
      ),
    ).toBe(true);
  });

  it("counts a message as received once sent if the client does not acknowledge", async () => {
    const { sandbox, settled } = await openSandbox();
    const { got, opened } = dial(sandbox.streamUrl);
    await opened;
    sandbox.emit("lead.created");
    expect(await settled()).toMatchObject([
      { state: "delivered", attempts: [{ status: null, error: null }] },
    ]);
    await until(() => expect(got).toHaveLength(1));
  });

  it("starts when it is first opened, and nothing is queued before", async () => {
    const { sandbox } = await openSandbox();
    expect(sandbox.emit("lead.created").deliveries).toEqual([]);
    const { got, opened } = dial(sandbox.streamUrl, { answer: OK });
    await opened;
    await until(() => expect(sandbox.emit("lead.created").deliveries).toHaveLength(1));
    await until(() => expect(got.length).toBeGreaterThan(0));
  });

  it("sends unconfirmed events at once to a client that reconnects", async () => {
    const { sandbox, settled, seen } = await openSandbox({
      retry: { attempts: 3, delay: 3_600_000 },
    });
    const first = dial(sandbox.streamUrl, { answer: OK });
    await first.opened;
    await until(() => expect(seen.at(-1)).toEqual({ type: "stream", change: "opened", open: 1 }));
    first.socket.close();
    await until(() => expect(seen.at(-1)).toEqual({ type: "stream", change: "closed", open: 0 }));
    sandbox.emit("lead.created");
    await until(() =>
      expect(sandbox.deliveries).toMatchObject([
        { state: "waiting", attempts: [{ status: null }] },
      ]),
    );
    const second = dial(sandbox.streamUrl, { answer: OK });
    expect(await settled()).toMatchObject([{ state: "delivered" }]);
    expect(second.got).toHaveLength(1);
    expect(first.got).toEqual([]);
  });

  it("resends messages acknowledged with another status than 200, until all of several streams have them", async () => {
    const { sandbox, settled, seen } = await openSandbox({ retry: { attempts: 2, delay: 1 } });
    const good = dial(sandbox.streamUrl, { answer: OK });
    const bad = dial(sandbox.streamUrl, { answer: '{"status":503}' });
    await Promise.all([good.opened, bad.opened]);
    await until(() => expect(seen.at(-1)).toMatchObject({ open: 2 }));
    sandbox.emit("lead.created");
    expect(await settled()).toMatchObject([
      { state: "failed", attempts: [{ status: 503, error: expect.any(String) }, { status: 503 }] },
    ]);
    expect(new Set([...good.got, ...bad.got]).size).toBe(1);
    expect(bad.got).toHaveLength(2);
  });

  it.each([
    ["something else", "hello"],
    ["a status that is no number", '{"status":"200"}'],
    [
      "more than an acknowledgement may have",
      JSON.stringify({ status: 200, more: "x".repeat(2000) }),
    ],
  ])("is cut if its client answers %s", async (_, answer) => {
    const { sandbox, settled } = await openSandbox({ retry: { attempts: 1 } });
    const { opened, closed } = dial(sandbox.streamUrl, { answer });
    await opened;
    sandbox.emit("lead.created");
    await closed;
    expect(await settled()).toMatchObject([{ state: "failed", attempts: [{ status: null }] }]);
  });

  it("is cut if an acknowledgement does not arrive in time", async () => {
    const { sandbox, settled } = await openSandbox({ retry: { attempts: 1 }, answerTimeout: 30 });
    const { opened, closed } = dial(sandbox.streamUrl, { headers: { [ACKNOWLEDGE_HEADER]: "1" } });
    await opened;
    sandbox.emit("lead.created");
    expect(await settled()).toMatchObject([
      { state: "failed", attempts: [{ error: expect.any(String) }] },
    ]);
    await closed;
  });

  it("is cut by an outage, and cannot be opened before its end", async () => {
    const clock = frozenClock();
    const { sandbox, settled, seen } = await openSandbox({
      retry: { attempts: 10_001, delay: 5, factor: 1 },
      chaos: { outage: 60_000 },
      clock: () => clock.now,
    });
    const first = dial(sandbox.streamUrl, { answer: OK });
    await first.opened;
    await until(() => expect(seen).toHaveLength(1));
    sandbox.emit("lead.created");
    await first.closed;
    clock.now += 59_999;
    await expect(dial(sandbox.streamUrl, { answer: OK }).opened).rejects.toThrow();
    clock.now += 1;
    const after = dial(sandbox.streamUrl, { answer: OK });
    await after.opened;
    expect(await settled()).toMatchObject([{ state: "delivered" }]);
    expect(after.got).toHaveLength(1);
  });

  it("is cut if its client sends without being asked, and ends with the sandbox, even if its client does not respond", async () => {
    const { sandbox } = await openSandbox();
    const eager = dial(sandbox.streamUrl);
    await eager.opened;
    eager.socket.send(OK);
    await eager.closed;
    const { socket, opened, closed } = dial(sandbox.streamUrl);
    await opened;
    socket.pause();
    await sandbox.close();
    socket.resume();
    await closed;
  });
});
