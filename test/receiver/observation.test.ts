import { expect, it } from "vitest";
import type { AttemptObservation } from "../../src/receiver/observation.ts";
import type { InspectedDelivery } from "../../src/receiver/observed.ts";
import { postTo } from "../observe/posting.ts";
import { signed } from "../signature/diagnose/made.ts";
import { openReceiver } from "./open.ts";
import { SECRET } from "./sample.ts";

const sent = '{ "event": "lead.created" }';
/** The signature of the same JSON without its spaces. */
const RESPACED = { "x-service-signature": signed(sent.replaceAll(" ", ""), SECRET) };
const turn = () => new Promise((resolve) => setImmediate(resolve));

/** What an observer receives for one request, and what it was told while it ran, and just after. */
async function observed(headers: Record<string, string> = RESPACED) {
  const { receiver, entries, lines } = await openReceiver();
  const seen: InspectedDelivery[] = [];
  const told: unknown[] = [];
  const soon: unknown[] = [];
  receiver.observe((observation: AttemptObservation | InspectedDelivery) => {
    if (observation.type !== "delivery") return;
    seen.push(observation);
    told.push(String(observation.body?.()), observation.digests?.().length);
    setImmediate(() => soon.push(String(observation.body?.()), observation.digests?.()));
  });
  const answer = await postTo(receiver)(sent, { headers });
  soon.push("answered");
  for (let turns = 0; turns < 3; turns++) await turn();
  const [observation] = seen;
  if (observation === undefined) throw new Error("expected an observation, got none");
  return { answer, observation, told, soon, entries, lines };
}

it("an unauthentic delivery has its bytes while the listener runs, or in an immediate, when the sender has its answer", async () => {
  const { answer, told, soon, entries, lines } = await observed();
  expect(answer.status).toBe(401);
  expect(told).toEqual([sent, 1]);
  expect(soon.slice(0, 2)).toEqual(["answered", sent]);
  expect(await entries()).toEqual([]);
  const shown = JSON.stringify([lines, Buffer.from(answer.body).toString()]);
  expect(shown).not.toMatch(/lead\.created/);
});

it("the bytes of an unauthentic delivery are released a turn later, and so are the digits of its digests", async () => {
  const { observation, soon } = await observed();
  const start = signed(sent, SECRET).slice(7, 15);
  const digest = { role: "current", fingerprint: expect.any(String), start };
  expect(soon.at(-1)).toEqual([digest]);
  expect(observation.digests?.()).toEqual([]);
  expect(observation.body?.()).toBeUndefined();
  expect(observation.delivery).toBeUndefined();
  expect(JSON.stringify(observation)).not.toContain("lead.created");
});

it("the digits of a digest are no work until asked for: secrets are read once for the check, and again then", async () => {
  let asked = 0;
  const secret = () => {
    asked++;
    return SECRET;
  };
  const { receiver } = await openReceiver({ secret });
  const post = () => postTo(receiver)(sent, { headers: { "x-service-signature": "sha256=00" } });
  await post();
  expect(asked).toBe(1);
  receiver.observe(
    (observation: AttemptObservation | InspectedDelivery) =>
      observation.type === "delivery" && observation.digests?.(),
  );
  await post();
  expect(asked).toBe(3);
});

it("an authentic delivery has no digests and no body", async () => {
  const { told, observation } = await observed({ "x-service-signature": signed(sent, SECRET) });
  expect(told[0]).toBe("undefined");
  expect(observation.outcome.type).toBe("rejected");
  expect(observation.digests).toBeUndefined();
});

it("an observation has the headers of a refused request, without credentials", async () => {
  const headers = { "x-tag": "one", authorization: "Bearer x", cookie: "a=1" };
  const { observation } = await observed(headers);
  expect(observation.outcome.type).toBe("unauthorized");
  expect(observation.headers).toEqual({ "x-tag": "one" });
});

it("refuses a listener that is no function", async () => {
  const { receiver } = await openReceiver();
  const observe = () => receiver.observe({} as () => void);
  expect(observe).toThrow(expect.objectContaining({ code: "option_invalid" }));
});
