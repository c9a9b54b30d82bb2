import { describe, expect, it } from "vitest";
import { propertyCreatedSchema } from "../../../src/entries/index.ts";
import type { SandboxDelivery } from "../../../src/entries/sandbox.ts";
import { readSecrets } from "../../../src/signature/secrets.ts";
import { verify } from "../../../src/signature/verify.ts";
import { gate } from "../../receiver/sample.ts";
import { openTarget } from "../../relay/sample.ts";
import { expectInvalid, json, openCountingReceiver, openSandbox, SECRET, until } from "./open.ts";

describe("a delivery", () => {
  it("is a signed POST of the envelope to the subscription's URL", async () => {
    const target = await openTarget();
    const { sandbox, subscribe, settled } = await openSandbox();
    const url = target.url.href.replace("http://", "HTTP://"); // which stays as given
    const id = await subscribe(url, ["payment.received"]);
    const caused = sandbox.emit("payment.received", { amount: 5 });
    await settled();
    const [got] = target.got;
    if (got === undefined) throw new Error("nothing came");
    expect(got).toMatchObject({
      method: "POST",
      url: `${target.url.pathname}${target.url.search}`,
    });
    expect(got.headers["content-type"]).toBe("application/json");
    expect(JSON.parse(String(got.body))).toEqual({
      event: "payment.received",
      timestamp: caused.timestamp,
      data: { amount: 5 },
      webhook: { id, url },
    });
    expect(
      verify(got.body, String(got.headers["x-service-signature"]), readSecrets(SECRET)).ok,
    ).toBe(true);
  });

  it("uses another header name on request, and has no signature without a secret", async () => {
    const target = await openTarget();
    const { sandbox, subscribe, settled } = await openSandbox({
      signatureHeader: "x-other-signature",
    });
    await subscribe(target.url, ["lead.created"]);
    await subscribe(target.url, ["lead.created"], null);
    sandbox.emit("lead.created");
    await settled();
    const signatures = target.got.map(({ headers }) => headers["x-other-signature"]);
    expect(signatures.filter((value) => value !== undefined)).toHaveLength(1);
    expect(target.got.some(({ headers }) => "x-service-signature" in headers)).toBe(false);
  });

  it("goes to each subscription that includes its kind, and to no other", async () => {
    const target = await openTarget();
    const { sandbox, subscribe, settled } = await openSandbox();
    const first = await subscribe(target.url, ["lead.created", "deal.status_changed"]);
    const second = await subscribe(target.url, ["lead.created"]);
    await subscribe(target.url, ["contact.created"]);
    expect(sandbox.emit("lead.created").deliveries).toHaveLength(2);
    expect(sandbox.emit("deal.status_changed").deliveries).toHaveLength(1);
    expect(sandbox.emit("tenant.created").deliveries).toEqual([]);
    await settled();
    const got = target.got.map(({ body }) => JSON.parse(String(body)));
    expect(got.map(({ event, webhook }) => `${event} ${webhook.id}`).sort()).toEqual(
      [`deal.status_changed ${first}`, `lead.created ${first}`, `lead.created ${second}`].sort(),
    );
  });

  it.each([
    ["200 alone", 200, "delivered", 1],
    ["not 204", 204, "failed", 3],
    ["not 201", 201, "failed", 3],
    ["not 410, which does not end the subscription either", 410, "failed", 3],
    ["not 500", 500, "failed", 3],
  ])("is confirmed by %s", async (_, status, state, attempts) => {
    const target = await openTarget((response) => response.writeHead(status).end());
    const { sandbox, subscribe, settled } = await openSandbox({
      retry: { attempts: 3, delay: 1, factor: 1 },
    });
    await subscribe(target.url, ["lead.created"]);
    sandbox.emit("lead.created");
    const [delivery] = await settled();
    expect(delivery).toMatchObject({ state, nextAttemptAt: null });
    expect(delivery?.attempts.map((attempt) => attempt.status)).toEqual(
      Array(attempts).fill(status),
    );
    expect(sandbox.subscriptions).toHaveLength(1);
  });

  it("has the same bytes and signature at every attempt, until one is confirmed", async () => {
    let left = 2;
    const target = await openTarget((response) => response.writeHead(left-- > 0 ? 503 : 200).end());
    const { sandbox, subscribe, settled, seen } = await openSandbox();
    await subscribe(target.url, ["lead.created"]);
    const { deliveries } = sandbox.emit("lead.created");
    const [delivery] = await settled();
    expect(delivery).toMatchObject({ id: deliveries[0], state: "delivered", copyOf: null });
    expect(delivery?.attempts).toMatchObject([
      { attempt: 1, status: 503, error: expect.any(String), chaos: [] },
      { attempt: 2, status: 503 },
      { attempt: 3, status: 200, error: null },
    ]);
    expect(new Set(target.got.map(({ body }) => String(body))).size).toBe(1);
    expect(new Set(target.got.map(({ headers }) => headers["x-service-signature"])).size).toBe(1);
    const attempts = seen
      .filter((observation) => observation.type === "attempt")
      .map(({ delivery }) => delivery.state);
    expect(attempts).toEqual(["waiting", "waiting", "delivered"]);
  });

  it("waits between attempts as scheduled", async () => {
    const target = await openTarget((response) => response.writeHead(500).end());
    const { sandbox, subscribe } = await openSandbox({
      retry: { attempts: 2, delay: 3_600_000, maxDelay: 3_600_000 },
    });
    await subscribe(target.url, ["lead.created"]);
    sandbox.emit("lead.created");
    const delivery = await until(() => {
      const [first] = sandbox.deliveries;
      if (first?.attempts.length !== 1) throw new Error("not tried yet");
      return first;
    });
    expect(delivery.state).toBe("waiting");
    const wait =
      Date.parse(delivery.nextAttemptAt ?? "") - Date.parse(delivery.attempts[0]?.at ?? "");
    expect(wait).toBeGreaterThanOrEqual(3_600_000);
    expect(wait).toBeLessThan(3_660_000);
  });

  it("fails if nothing listens, or no answer arrives in time", async () => {
    const silent = await openTarget(() => {});
    const { sandbox, subscribe, settled } = await openSandbox({
      retry: { attempts: 1 },
      answerTimeout: 50,
    });
    await subscribe(silent.url, ["lead.created"]);
    await subscribe("http://127.0.0.1:1/webhooks", ["lead.created"]);
    sandbox.emit("lead.created");
    for (const delivery of await settled()) {
      expect(delivery).toMatchObject({
        state: "failed",
        attempts: [{ status: null, error: expect.any(String) }],
      });
    }
  });

  it("is cancelled with its subscription, even in progress", async () => {
    const { opened, open } = gate();
    const target = await openTarget(() => open());
    const { sandbox, ask, subscribe, settled } = await openSandbox();
    const id = await subscribe(target.url, ["lead.created"]);
    sandbox.emit("lead.created");
    await opened;
    expect(json(await ask(`/_sandbox/subscriptions/${id}`, { method: "DELETE" }))).toMatchObject({
      id,
    });
    expect(await settled()).toMatchObject([{ state: "cancelled", attempts: [] }]);
    expect(sandbox.emit("lead.created").deliveries).toEqual([]);
    expect((await ask(`/_sandbox/subscriptions/${id}`, { method: "DELETE" })).status).toBe(404);
  });

  it("ends with the sandbox, which does not keep the process alive", async () => {
    const target = await openTarget((response) => response.writeHead(500).end());
    const { sandbox, subscribe } = await openSandbox({
      retry: { attempts: 3, delay: 5, factor: 1e6 },
    });
    await subscribe(target.url, ["lead.created"]);
    sandbox.emit("lead.created");
    await sandbox.close();
    const tried = target.got.length;
    expect(sandbox.emit("lead.created").deliveries).toEqual([]);
    expect(sandbox.deliveries.map(({ state }: SandboxDelivery) => state)).toEqual(["cancelled"]);
    await new Promise((resolve) => setTimeout(resolve, 30));
    expect(target.got).toHaveLength(tried);
  });
});

describe("events", () => {
  it("differ in their timestamps, even if caused at the same time", async () => {
    const { url, handled } = await openCountingReceiver();
    const { sandbox, subscribe, settled } = await openSandbox({
      clock: () => Date.UTC(2026, 0, 1),
    });
    await subscribe(url, ["lead.created"]);
    const stamps = Array.from({ length: 5 }, () => sandbox.emit("lead.created").timestamp);
    expect(new Set(stamps).size).toBe(5);
    await settled();
    // this clock is too far from the receiver's, so they are kept as dead letters
    expect(handled).toEqual([]);
  });

  it("are caused by creating a property: property.created as documented, and the property in the list", async () => {
    const { url, handled, data } = await openCountingReceiver();
    const { ask, subscribe } = await openSandbox({ properties: 2 });
    await subscribe(url, ["property.created"]);
    const reply = json(await ask("/_sandbox/events", { body: { event: "property.created" } }));
    expect(reply).toMatchObject({ event: "property.created", deliveries: [expect.any(String)] });
    await until(() => expect(handled).toHaveLength(1));
    expect(propertyCreatedSchema.parse(data[0])).toEqual(data[0]);
    const {
      purchase_price: _,
      created_at: _at,
      owner: _owner,
      ...listed
    } = data[0] as Record<string, unknown>;
    expect(json(await ask("/v1/properties?page=3&per_page=1")).data).toMatchObject([listed]);
  });

  it("keep the numbers of given data as written", async () => {
    const target = await openTarget();
    const { ask, subscribe, settled } = await openSandbox();
    await subscribe(target.url, ["payment.received"]);
    const body =
      '{"event":"payment.received","data":{"amount":1.50,"big":12345678901234567890123}}';
    expect((await ask("/_sandbox/events", { body })).status).toBe(200);
    await settled();
    expect(String(target.got[0]?.body)).toContain(
      '"data":{"amount":1.50,"big":12345678901234567890123}',
    );
  });

  it.each<[string, unknown, string | undefined]>([
    ["no kind", {}, "event"],
    ["an unknown kind", { event: "payment.lost" }, "event"],
    ["a kind that is no text", { event: 5 }, "event"],
    ["data that is no object", { event: "lead.created", data: [] }, "data"],
    ["another JSON value", [], undefined],
  ])("are not caused by a request with %s", async (_, body, field) => {
    const { ask, sandbox } = await openSandbox();
    expectInvalid(await ask("/_sandbox/events", { body }), field);
    expect(() => sandbox.emit("payment.lost" as never)).toThrow(
      expect.objectContaining({ code: "option_invalid" }),
    );
  });
});

it("subscriptions and deliveries are listed under the sandbox's own names", async () => {
  const target = await openTarget();
  const { ask, sandbox, subscribe, settled } = await openSandbox();
  await subscribe(target.url, ["lead.created"]);
  sandbox.emit("lead.created");
  await settled();
  expect(json(await ask("/_sandbox/deliveries"))).toEqual({ data: sandbox.deliveries });
  expect(json(await ask("/_sandbox/subscriptions"))).toEqual({ data: sandbox.subscriptions });
  expect(JSON.stringify([sandbox.deliveries, sandbox.subscriptions])).not.toContain(SECRET);
});
