import { createServer, request } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, it, onTestFinished, vi } from "vitest";
import { AnsweredRequests } from "../../../src/inspector/changes/answered-requests.ts";
import { openInspector, raw } from "../open.ts";

const WAIT = { timeout: 10_000, interval: 10 };
const KEY = "0123456789abcdef";

/** Sends a POST with a key, and cuts its connection at the answer's head, or when told. */
function cutPost({ port, token }: { port: number; token: string }, path: string, fields: object) {
  const headers = {
    ...{ authorization: `Bearer ${token}`, "content-type": "application/json" },
    "idempotency-key": KEY,
  };
  const sent = request({ host: "127.0.0.1", port, path, method: "POST", headers, agent: false });
  const closed = new Promise<void>((resolve) => {
    sent.on("close", resolve);
  });
  sent.on("error", () => {});
  sent.on("response", () => sent.destroy());
  sent.end(JSON.stringify(fields));
  return { cut: () => sent.destroy(), closed };
}

async function post(
  { port, token }: { port: number; token: string },
  path: string,
  fields: object,
  key: string | undefined = KEY,
) {
  const headers = {
    ...{ authorization: `Bearer ${token}`, "content-type": "application/json" },
    "idempotency-key": key,
  };
  const { status, text } = await raw(port, path, { method: "POST", headers, body: JSON.stringify(fields) });
  return { status, json: JSON.parse(text) };
}

it.each([
  ["/api/entries/1/replay", {}],
  ["/api/send", { body: '{"event":"lead.created"}' }],
  ["/api/trigger", { kind: "lead.created", count: 2 }],
])(
  "a repeated POST %s after a lost answer gets the first result, and sends nothing",
  async (path, fields) => {
    const opened = await openInspector();
    let deliveries = 0;
    await opened.deliver("payment.received");
    opened.receiver.observe(({ type }) => {
      if (type !== "attempt") deliveries++;
    });
    await cutPost(opened, path, fields).closed;
    const before = deliveries;
    expect(before).toBeGreaterThan(0);
    const second = await post(opened, path, fields);
    expect(second.status).toBe(200);
    expect(await post(opened, path, fields)).toEqual(second);
    expect(deliveries).toBe(before);
    await post(opened, path, fields, "another-key-of-an-action");
    expect(deliveries).toBe(2 * before);
  },
);

it("a request repeated while the first one is still running waits for its result", async () => {
  const opened = await openInspector();
  await opened.deliver("payment.received");
  let requests = 0;
  let release = () => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  const target = createServer(async (_, response) => {
    requests++;
    await held;
    response.end("done");
  });
  await new Promise<void>((resolve) => target.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void target.close());
  const fields = { to: `http://127.0.0.1:${(target.address() as AddressInfo).port}/` };
  const first = cutPost(opened, "/api/entries/1/forward", fields);
  await vi.waitFor(() => expect(requests).toBe(1), WAIT);
  first.cut();
  await first.closed;
  const second = post(opened, "/api/entries/1/forward", fields);
  const other = await post(opened, "/api/entries/1/forward", { to: "3000" });
  expect(other).toMatchObject({ status: 409, json: { error: { type: "idempotency_key_reused" } } });
  release();
  expect(await second).toMatchObject({ status: 200, json: { status: 200, body: "done" } });
  expect(requests).toBe(1);
});

it("an error is the answer to a repeated request, too; a key that is too short is refused", async () => {
  const opened = await openInspector();
  const fields = { kind: "no.such" };
  const first = await post(opened, "/api/trigger", fields);
  expect(first.status).toBe(400);
  expect(await post(opened, "/api/trigger", fields)).toEqual(first);
  expect((await post(opened, "/api/trigger", { kind: "lead.created" }, "short")).status).toBe(400);
  expect(await opened.receiver.inbox.list({})).toEqual([]);
});

it("only the last 200 results are remembered, for 10 minutes, and running ones in any case", async () => {
  let now = 0;
  const answered = new AnsweredRequests(() => now);
  let runs = 0;
  const work = async () => ++runs;
  let finish = (_: number) => {};
  const running = new Promise<number>((resolve) => {
    finish = resolve;
  });
  const first = answered.once("running", "", () => running);
  for (let count = 0; count < 300; count++) await answered.once(`key ${count}`, "", work);
  expect(await answered.once("key 299", "", work)).toBe(300);
  expect(await answered.once("key 0", "", work)).toBe(301);
  const again = answered.once("running", "", work);
  finish(-1);
  expect(await Promise.all([first, again])).toEqual([-1, -1]);
  now = 599_999;
  expect(await answered.once("key 299", "", work)).toBe(300);
  now += 600_000;
  expect(await answered.once("key 299", "", work)).toBe(302);
});
