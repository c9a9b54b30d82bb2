import { expect, it } from "vitest";
import { eventKinds } from "../../../src/entries/index.ts";
import { json, openClient } from "./service.ts";

const url = "https://app.example/webhooks";

it("a subscription is created with URL, kinds and secret if there is one, and the response is returned", async () => {
  const { service, client } = await openClient();
  const secret = "a secret of some length";
  const made = await client.webhooks.create({ url, events: eventKinds, secret });
  expect(made).toEqual({
    id: "wh_1",
    status: 201,
    body: { id: "wh_1", url, events: [...eventKinds] },
    mayExistTwice: false,
  });
  await client.webhooks.create({ url: new URL(url), events: ["lead.created"] });
  expect(service.created).toEqual([
    { url, events: eventKinds, secret },
    { url, events: ["lead.created"] },
  ]);
});

it.each([
  ["an empty body", 204, undefined],
  ["an empty body with 200", 200, undefined],
  ["any JSON", 200, ["ok"]],
])(
  "%s counts as success, since the description does not show the response",
  async (_, status, body) => {
    const { client } = await openClient([
      body === undefined ? (response) => void response.writeHead(status).end() : json(status, body),
    ]);
    const made = await client.webhooks.create({ url, events: ["lead.created"] });
    expect(made).toMatchObject({ status, body });
  },
);

it.each([
  { url: "app.example" },
  { url: "ftp://app.example" },
  { url: undefined },
  { events: [] },
  { events: ["lead.create"] },
  { events: ["lead.*"] },
  { events: "lead.created" },
  { secret: "" },
  { secret: " \n" },
  { secret: 1 },
])("%j is refused before anything is sent", async (wrong) => {
  const { service, client } = await openClient();
  const subscription = { url, events: ["lead.created"], ...wrong } as never;
  await expect(client.webhooks.create(subscription)).rejects.toMatchObject({
    code: "option_invalid",
  });
  expect(service.requests).toEqual([]);
});

it.each([
  [{ id: "wh_9" }, "wh_9"],
  [{ data: { id: "wh_9", url } }, "wh_9"],
  [{ request: null, webhook: { id: "wh_9" } }, "wh_9"],
  [{ data: { webhook: { id: "wh_9" } } }, undefined],
  [{ id: 9 }, undefined],
  [{ id: "wh_" }, undefined],
  [{ id: "sub_9" }, undefined],
  ["wh_9", undefined],
])("in %j the id is %j", async (body, id) => {
  const { client } = await openClient([json(201, body)]);
  expect((await client.webhooks.create({ url, events: ["lead.created"] })).id).toBe(id);
});
