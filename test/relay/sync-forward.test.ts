import type { ServerResponse } from "node:http";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { startServer } from "../../src/adapters/server.ts";
import type { ReceiverOptions } from "../../src/entries/index.ts";
import { inboxOf } from "../../src/receiver/inbox-view.ts";
import { forwardTo } from "../../src/relay/forward.ts";
import { syncForward } from "../../src/relay/sync-forward.ts";
import { expectError, openReceiver } from "../receiver/open.ts";
import {
  bytes,
  deliveryOf,
  freshEnvelope,
  gate,
  signedHeaders,
  until,
} from "../receiver/sample.ts";
import { send } from "../receiver/wire.ts";
import { closedAddress, openTarget } from "./sample.ts";

/** A public endpoint that forwards to a target while its sender waits. */
async function openRelay(
  target: URL,
  { timeout = 5000, ...options }: Partial<ReceiverOptions> & { timeout?: number } = {},
) {
  const opened = await openReceiver({
    retry: { attempts: Number.POSITIVE_INFINITY, delay: 60_000 },
    ...options,
  });
  const sync = syncForward(timeout);
  opened.receiver.on("*", forwardTo(target, sync.forwardOptions));
  const server = await startServer(sync.over(opened.receiver), {
    port: 0,
    host: "127.0.0.1",
    path: "/in",
  });
  onTestFinished(() => server.close());
  const post = (content: object | string, headers?: Record<string, string>) => {
    const body = bytes(content);
    return send(server.url, { body, headers: headers ?? signedHeaders(body) });
  };
  return { ...opened, post };
}

/** A target that answers with each status in turn, then repeats the last one. */
function answering(...statuses: number[]) {
  return openTarget((response) => {
    const [status = 200] = statuses.length > 1 ? statuses.splice(0, 1) : statuses;
    response.writeHead(status).end(`answer ${status}`);
  });
}

describe("the target's answer", () => {
  it("is returned to the sender: status, headers and bytes", async () => {
    const { url, got } = await openTarget((response) => {
      response.writeHead(201, {
        "content-type": "text/x-own",
        "x-own": "1",
        "set-cookie": ["a=1", "b=2"],
      });
      response.end("\u0000é\r\n");
    });
    const { post, entry } = await openRelay(url);
    const sent = freshEnvelope();
    const { status, headers, text } = await post(sent);
    expect({ status, headers }).toMatchObject({
      status: 201,
      headers: {
        "content-type": "text/x-own",
        "x-own": "1",
        "set-cookie": ["a=1", "b=2"],
        "content-length": "5",
      },
    });
    expect(text).toBe("\u0000é\r\n");
    expect(got[0]?.body).toEqual(bytes(sent));
    expect(await entry()).toMatchObject({ state: "handled", attempts: 1 });
  });

  it("loses the headers of the target's own connection", async () => {
    const { url } = await openTarget((response) => {
      response.writeHead(200, {
        connection: "close, x-hop",
        "x-hop": "1",
        "keep-alive": "timeout=9",
        "x-end": "1",
      });
      response.write("in ");
      response.end("chunks");
    });
    const { headers, text } = await (await openRelay(url)).post(freshEnvelope());
    expect(text).toBe("in chunks");
    expect(headers).toMatchObject({ "x-end": "1", "content-length": "9" });
    expect(headers).not.toHaveProperty("x-hop");
    expect(headers).not.toHaveProperty("transfer-encoding");
    expect(headers["keep-alive"]).not.toBe("timeout=9");
  });

  it.each([204, 304])("may be without a body: %d", async (status) => {
    const { url } = await openTarget((response) => void response.writeHead(status).end());
    const reply = await (await openRelay(url)).post(freshEnvelope());
    expect(reply).toMatchObject({ status, text: "" });
    expect(reply.headers).not.toHaveProperty("content-length");
  });

  it.each([302, 400, 410, 500])(
    "may be a %d, and then the event is kept and retried",
    async (status) => {
      const { url, got } = await answering(status, 200);
      const { post, entry, clock, untilState } = await openRelay(url);
      expect(await post(freshEnvelope())).toMatchObject({ status, text: `answer ${status}` });
      expect(await entry()).toMatchObject({ state: "failing", attempts: 1 });
      clock.now += 61_000;
      await untilState("handled");
      expect(got).toHaveLength(2);
    },
  );

  it("is not passed on if it is endless", async () => {
    const { url } = await openTarget((response) => void pour(response));
    const reply = await (await openRelay(url)).post(freshEnvelope());
    expectError(reply, 502, "bad_gateway");
    expect(reply.text).toContain("too long");
  });
});

describe("a target that does not answer", () => {
  it.each([
    [
      "cut off",
      502,
      "bad_gateway",
      10_000,
      (response: ServerResponse) => response.socket?.destroy(),
    ],
    ["not complete in time", 504, "gateway_timeout", 500, () => {}],
  ] as const)(
    "is not passed on if it is %s, but the target has taken the event",
    async (why, status, type, timeout, spoil) => {
      const { url, got } = await openTarget((response) => {
        response.writeHead(200).write("and then");
        setTimeout(() => spoil(response), 20);
      });
      const { post, entry } = await openRelay(url, { timeout });
      const sent = freshEnvelope();
      const reply = await post(sent);
      expectError(reply, status, type);
      expect(reply.text).toContain(why);
      await until(async () =>
        expect(await entry()).toMatchObject({ state: "handled", attempts: 1 }),
      );
      expect(await post(sent)).toMatchObject({ status: 200 });
      expect(got).toHaveLength(1);
    },
  );

  it("is a 502 if nothing listens, and the event is kept and retried", async () => {
    const url = await closedAddress();
    const { post, entry } = await openRelay(url);
    const reply = await post(freshEnvelope());
    expectError(reply, 502, "bad_gateway");
    expect(reply.text).not.toContain(url.port); // the sender must not see local details
    expect(await entry()).toMatchObject({ state: "failing", attempts: 1 });
  });

  it("is a 504 on time-out", async () => {
    const { url } = await openTarget(() => {});
    const { post, entry } = await openRelay(url, { timeout: 50 });
    expectError(await post(freshEnvelope()), 504, "gateway_timeout");
    await until(async () => expect(await entry()).toMatchObject({ state: "failing", attempts: 1 }));
  });
});

describe("the receiver in front of it", () => {
  it("refuses deliveries that are not authentic, and the target never sees them", async () => {
    const { url, got } = await openTarget();
    const { post, entries } = await openRelay(url);
    expect(await post(freshEnvelope(), {})).toMatchObject({ status: 401 });
    expect(await post("no JSON")).toMatchObject({ status: 400 });
    expect(got).toEqual([]);
    expect(await entries()).toMatchObject([{ state: "dead", reason: "invalid_json" }]);
  });

  it("answers a duplicate of an event that the target has taken", async () => {
    const { url, got } = await answering(201);
    const { post } = await openRelay(url);
    const sent = freshEnvelope();
    expect(await post(sent)).toMatchObject({ status: 201 });
    const again = await post(sent);
    expect(again.status).toBe(200);
    expect(JSON.parse(again.text)).toMatchObject({ received: true, duplicate: true });
    expect(got).toHaveLength(1);
  });

  it("forwards at once when the sender retries an event that the target has not taken", async () => {
    const { url, got } = await answering(500, 202);
    const { post, entry } = await openRelay(url);
    const sent = freshEnvelope();
    expect(await post(sent)).toMatchObject({ status: 500 });
    expect(await post(sent)).toMatchObject({ status: 202 });
    expect(got).toHaveLength(2);
    expect(await entry()).toMatchObject({ state: "handled", attempts: 2, duplicates: 1 });
  });

  it("forwards once for simultaneous senders of the same event, and answers each", async () => {
    const { opened, open } = gate();
    const { url, got } = await openTarget(async (response) => {
      await opened;
      response.writeHead(202).end("one");
    });
    const { post, outcomes } = await openRelay(url);
    const sent = freshEnvelope();
    const replies = Array.from({ length: 8 }, () => post(sent));
    await until(() => expect(outcomes()).toHaveLength(8));
    open();
    for (const reply of await Promise.all(replies))
      expect(reply).toMatchObject({ status: 202, text: "one" });
    expect(got).toHaveLength(1);
  });

  it("asks the sender to retry while an earlier event with the same order key waits", async () => {
    const { url, got } = await answering(500, 200);
    const { post, entries, clock } = await openRelay(url, { orderBy: () => "one" });
    expect(await post(freshEnvelope())).toMatchObject({ status: 500 });
    const behind = await post(freshEnvelope());
    expect(behind).toMatchObject({ status: 503, headers: { "retry-after": "5" } });
    expect(got).toHaveLength(1);
    clock.now += 61_000;
    await until(async () =>
      expect(await entries()).toMatchObject([{ state: "handled" }, { state: "handled" }]),
    );
    expect(got).toHaveLength(3);
    expect(got[1]?.body).toEqual(got[0]?.body);
  });

  it("asks the sender to retry if the store fails after the event was kept", async () => {
    const { url } = await answering(200);
    const { post, receiver, untilState, clock } = await openRelay(url);
    vi.spyOn(inboxOf(receiver), "claim").mockRejectedValue(new Error("locked"));
    const reply = await post(freshEnvelope());
    expect(reply).toMatchObject({ status: 503, headers: { "retry-after": "5" } });
    vi.mocked(inboxOf(receiver).claim).mockRestore();
    clock.now += 11_000;
    await untilState("handled");
  });

  it("runs many at a time, whatever the receiver's concurrency", async () => {
    const { opened, open } = gate();
    const { url, got } = await openTarget(async (response) => {
      await opened;
      response.end("ok");
    });
    const { post } = await openRelay(url, { concurrency: 1 });
    const replies = Array.from({ length: 5 }, () => post(freshEnvelope()));
    await until(() => expect(got).toHaveLength(5));
    open();
    for (const reply of await Promise.all(replies))
      expect(reply).toMatchObject({ status: 200, text: "ok" });
  });

  it("also forwards events that another process left waiting", async () => {
    const { url, got } = await answering(200);
    const { receiver } = await openRelay(url);
    await receiver.accept(deliveryOf(freshEnvelope()));
    await until(() => expect(got).toHaveLength(1));
  });
});

/** Writes until the other side stops reading. */
function pour(response: ServerResponse): void {
  const chunk = Buffer.alloc(1024 * 1024, "x");
  const more = () => {
    while (!response.destroyed && response.write(chunk));
    if (!response.destroyed) response.once("drain", more);
  };
  more();
}
