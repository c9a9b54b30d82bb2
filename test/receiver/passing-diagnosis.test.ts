import { expect, it } from "vitest";
import type { AttemptObservation } from "../../src/receiver/observation.ts";
import type { InspectedDelivery } from "../../src/receiver/observed.ts";
import { signed } from "../signature/diagnose/made.ts";
import { openReceiver } from "./open.ts";
import { SECRET } from "./sample.ts";

const sent = '{ "event": "lead.created" }';

async function refused(
  options: Parameters<typeof openReceiver>[0] = {},
  header = signed(sent.replaceAll(" ", ""), SECRET),
) {
  const { receiver, entries, lines } = await openReceiver(options);
  const seen: InspectedDelivery[] = [];
  const told: unknown[] = [];
  const bodies: unknown[] = [];
  receiver.observe((observation: AttemptObservation | InspectedDelivery) => {
    if (observation.type !== "delivery") return;
    seen.push(observation);
    told.push(observation.diagnose?.()?.code);
    bodies.push(String(observation.body?.()));
  });
  const answer = await receiver.receive({
    method: "POST",
    target: "/webhooks",
    path: "/webhooks",
    headers: { "x-service-signature": header },
    read: async () => Buffer.from(sent),
  });
  return { answer, seen, told, bodies, entries, lines };
}

it("an unauthentic delivery can be diagnosed while the listener runs", async () => {
  const { answer, told, entries, lines } = await refused();
  expect(answer.status).toBe(401);
  expect(told).toEqual(["json_spacing"]);
  expect(await entries()).toEqual([]);
  expect(JSON.stringify([lines, Buffer.from(answer.body).toString()])).not.toMatch(
    /json_spacing|lead\.created/,
  );
});

it("the path of an unauthentic delivery may have been signed, too", async () => {
  const { told } = await refused({}, signed(`/webhooks${sent}`, SECRET));
  expect(told).toEqual(["other_scheme"]);
});

it("an unauthentic delivery can be diagnosed in an immediate, when the sender has its answer", async () => {
  const { receiver } = await openReceiver();
  const order: unknown[] = [];
  const diagnosed = new Promise<void>((resolve) => {
    receiver.observe((observation: AttemptObservation | InspectedDelivery) => {
      setImmediate(() => {
        if (observation.type === "delivery") order.push(observation.diagnose?.()?.code);
        resolve();
      });
    });
  });
  await receiver.receive({
    method: "POST",
    target: "/webhooks",
    path: "/webhooks",
    headers: { "x-service-signature": signed(sent.replaceAll(" ", ""), SECRET) },
    read: async () => Buffer.from(sent),
  });
  order.push("answered");
  await diagnosed;
  expect(order).toEqual(["answered", "json_spacing"]);
});

it("the bytes of an unauthentic delivery are released a turn later", async () => {
  const { seen, bodies } = await refused();
  expect(bodies).toEqual([sent]);
  await new Promise((resolve) => setImmediate(resolve));
  expect(seen[0]?.diagnose?.()).toBeUndefined();
  expect(seen[0]?.body?.()).toBeUndefined();
  expect(seen[0]?.delivery).toBeUndefined();
  expect(JSON.stringify(seen)).not.toContain("lead.created");
});

it("a diagnosis does no work until called: secrets are read once for the check, and again when it is called", async () => {
  let asked = 0;
  const secret = () => {
    asked++;
    return SECRET;
  };
  const { receiver } = await openReceiver({ secret });
  const send = () =>
    receiver.receive({
      method: "POST",
      target: "/w",
      path: "/w",
      headers: { "x-service-signature": "sha256=00" },
      read: async () => Buffer.from(sent),
    });
  await send();
  expect(asked).toBe(1);
  receiver.observe(
    (observation: AttemptObservation | InspectedDelivery) =>
      observation.type === "delivery" && observation.diagnose?.(),
  );
  await send();
  expect(asked).toBe(3);
});

it("an authentic delivery has no diagnosis", async () => {
  const { told, seen } = await refused({}, signed(sent, SECRET));
  expect(told).toEqual([undefined]);
  expect(seen[0]?.outcome.type).toBe("rejected");
});
