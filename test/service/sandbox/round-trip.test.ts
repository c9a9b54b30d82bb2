import { expect, it } from "vitest";
import { createClient, type Property } from "../../../src/entries/client.ts";
import { eventKinds } from "../../../src/entries/index.ts";
import { inboxOf } from "../../../src/receiver/inbox-view.ts";
import { KEY, openCountingReceiver, openSandbox, SECRET, until } from "./open.ts";

it("from a subscription through a new property to a handler that requests the list, each event is handled once", async () => {
  const { sandbox, settled } = await openSandbox({
    properties: 3,
    retry: { attempts: 101, delay: 5, factor: 1 },
    chaos: { duplicates: 0.5, wrongSignature: 0.3, delay: [0, 10], outage: 30 },
  });
  const client = createClient({ baseUrl: sandbox.url, apiKey: KEY, retry: { delay: 1 } });
  const { receiver, url, handled } = await openCountingReceiver();
  const found: string[][] = [];
  receiver.on("property.created", async (event) => {
    const ids: string[] = [];
    const items = client.properties.items({ perPage: 2 });
    for await (const { property } of items) ids.push((property as Property).id);
    expect(ids).toContain(event.data.id);
    found.push(ids);
  });
  const { id } = await client.webhooks.create({ url, events: eventKinds, secret: SECRET });
  expect(sandbox.subscriptions.map((subscription) => subscription.id)).toEqual([id]);

  const caused = [
    ...Array.from({ length: 5 }, () => sandbox.emit("property.created")),
    ...eventKinds.map((kind) => sandbox.emit(kind)),
  ];
  await settled();
  const expected = caused.map(({ event, timestamp }) => `${event} ${timestamp}`).sort();
  await until(() => expect([...handled].sort()).toEqual(expected));
  await until(() => expect(found).toHaveLength(6));
  expect(found.every((ids) => ids.length === 9)).toBe(true);
  expect((await inboxOf(receiver).counts()).handled).toBe(caused.length);
});

it("the client reads the sandbox's errors as intended", async () => {
  const { sandbox } = await openSandbox({ rateLimit: 1, apiKey: KEY });
  const retry = { attempts: 1 };
  const client = createClient({ baseUrl: sandbox.url, apiKey: KEY, retry });
  const other = createClient({ baseUrl: sandbox.url, apiKey: "sk_test_another", retry });
  await expect(other.properties.list()).rejects.toMatchObject({
    code: "service_unauthorized",
    type: "unauthorized",
  });
  const wanted = { url: "http://10.0.0.1/webhooks", events: eventKinds, secret: SECRET };
  await expect(client.webhooks.create(wanted)).rejects.toMatchObject({
    code: "service_refused",
    status: 400,
    type: "invalid_request",
    field: "url",
  });
  await expect(client.properties.list()).rejects.toMatchObject({
    code: "service_rate_limited",
    status: 429,
    retryAfter: expect.any(Number),
  });
});
