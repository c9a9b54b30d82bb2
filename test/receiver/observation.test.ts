import { expect, it } from "vitest";
import {
  createTestReceiver,
  sampleEvent,
  signedRequest,
  TEST_SECRET,
} from "../../src/entries/testing.ts";
import type { AttemptObservation } from "../../src/receiver/observation.ts";
import type { InspectedDelivery } from "../../src/receiver/observed.ts";

/** Returns what an observer receives for one request. */
async function observed(headers: Record<string, string>, body: Uint8Array, target = "/webhooks") {
  const receiver = await createTestReceiver();
  const told: InspectedDelivery[] = [];
  const digests: unknown[] = [];
  receiver.observe((observation: AttemptObservation | InspectedDelivery) => {
    if (observation.type !== "delivery") return;
    told.push(observation);
    setImmediate(() => digests.push(observation.digests?.()));
  });
  await receiver.receive({
    method: "POST",
    target,
    path: "/webhooks",
    headers,
    read: async () => body,
  });
  for (let turns = 0; turns < 3; turns++) await new Promise((resolve) => setImmediate(resolve));
  await receiver.close();
  const [observation] = told;
  if (observation === undefined) throw new Error("expected an observation, got none");
  return { observation, digests };
}

const CREDENTIALS = { authorization: "Bearer x", cookie: "a=1" };

it("an observation has the request's headers, without credentials", async () => {
  const { headers, body } = signedRequest(sampleEvent("lead.created"), { secret: TEST_SECRET });
  const taken = await observed({ ...headers, ...CREDENTIALS }, body);
  expect(taken.observation.headers).toEqual(headers);
  const refused = await observed({ "x-tag": "one", ...CREDENTIALS }, body, "/elsewhere");
  expect(refused.observation).toMatchObject({
    outcome: { type: "refused" },
    headers: { "x-tag": "one" },
  });
  expect(Object.keys(refused.observation.headers)).toEqual(["x-tag"]);
});

it("`digests` of an unauthentic delivery returns digits once its sender has the answer, nothing later", async () => {
  const { headers, body } = signedRequest(sampleEvent("lead.created"), { secret: TEST_SECRET });
  const right = headers["x-service-signature"] ?? "";
  const { observation, digests } = await observed(
    { "x-service-signature": `sha256=${"0".repeat(64)}` },
    body,
  );
  expect(digests).toEqual([
    [{ role: "current", fingerprint: expect.any(String), start: right.slice(7, 15) }],
  ]);
  expect(observation.digests?.()).toEqual([]);
  expect((await observed(headers, body)).observation.digests).toBeUndefined();
});

it("refuses a listener that is no function", async () => {
  const receiver = await createTestReceiver();
  const observe = () => receiver.observe({} as () => void);
  expect(observe).toThrow(expect.objectContaining({ code: "option_invalid" }));
  await receiver.close();
});
