import { expect, it } from "vitest";
import { signedRequest } from "../../../src/entries/testing.ts";
import {
  heldObservation,
  MAX_BODIES,
  MAX_BODY,
  MAX_BYTES,
  type RefusedBodies,
  refusedBodies,
} from "../../../src/inspector/live/refused-bodies.ts";
import { signed } from "../../signature/diagnose/made.ts";
import { diagnoseHere, openInspector, SECRET, until } from "../open.ts";

/** A body that was printed again after it was signed. */
function reserialised(number: number) {
  const { headers, body } = signedRequest({ number, text: "refused" } as object as Uint8Array, {
    secret: SECRET,
  });
  return { headers, body: JSON.stringify(JSON.parse(String(body)), null, 2) };
}

it("what a burst left out is diagnosed when it is over, and its body can be looked at", async () => {
  let isBusy = true;
  const { api, endpoint } = await openInspector({
    diagnose: async (observation) => (isBusy ? "left_out" : diagnoseHere(observation)),
  });
  const rows = async () => (await api("/api/refusals")).json;
  for (let number = 0; number < 20; number++)
    await fetch(endpoint, { method: "POST", ...reserialised(number) });
  await fetch(
    endpoint,
    signedRequest({} as Uint8Array, { secret: "a wrong secret of some length" }),
  );
  await until(async () => expect(await rows()).toMatchObject([{ id: "r1", count: 21 }]));
  isBusy = false;
  const explained = async () =>
    (await rows()).find(({ why }: { why: string }) =>
      why.endsWith("the same JSON with different spacing"),
    );
  await until(async () => expect(await explained()).toMatchObject({ count: 19 }));
  expect((await rows()).map(({ count }: { count: number }) => count).toSorted()).toEqual([19, 2]);
  const { json } = await api(`/api/refusals/${(await explained()).id}`);
  expect(json.explanation.summary).toMatch(
    /^The signed body was the same JSON with different spacing/,
  );
  expect(JSON.stringify(json.explanation)).toMatch(/sha256=[0-9a-f]{8}…/);
  expect(json.body).toMatchObject({ form: "text", cut: false });
  expect(json.body.text).toContain('"text": "refused"');
});

it("what a burst left out is diagnosed with its path, too", async () => {
  let isBusy = true;
  const { api, endpoint } = await openInspector({
    diagnose: async (observation) => (isBusy ? "left_out" : diagnoseHere(observation)),
  });
  const headers = { "x-service-signature": signed(`${new URL(endpoint).pathname}{}`, SECRET) };
  await fetch(endpoint, { method: "POST", headers, body: "{}" });
  isBusy = false;
  const why = async () => (await api("/api/refusals")).json[0]?.why;
  await until(async () => expect(await why()).toContain("another service"));
});

it("a row that goes into another one whole can still be opened by its id", async () => {
  let isBusy = true;
  const { api, endpoint } = await openInspector({
    diagnose: async (observation) => (isBusy ? "left_out" : diagnoseHere(observation)),
  });
  for (const number of [1, 2]) await fetch(endpoint, { method: "POST", ...reserialised(number) });
  await until(async () => expect((await api("/api/refusals/r1")).json.count).toBe(2));
  isBusy = false;
  await until(async () =>
    expect((await api("/api/refusals/r1")).json.why).toContain("different spacing"),
  );
  expect((await api("/api/refusals/r1")).json).toMatchObject({
    id: "r1",
    count: 2,
    body: { form: "text" },
  });
  expect((await api("/api/refusals")).json).toHaveLength(1);
});

it("few bodies are held, none of them large, and not more than a megabyte in all", () => {
  const bodies = refusedBodies(
    async () => undefined,
    (id) => id,
  );
  const hold = (id: string, size: number) => {
    const body = new Uint8Array(size);
    const observation = { headers: {}, body: () => body } as unknown as Parameters<
      RefusedBodies["hold"]
    >[1];
    bodies.hold(id, heldObservation(observation), false);
    body.fill(1); // the receiver uses its memory again
  };
  hold("large", MAX_BODY + 1);
  expect(bodies.bodyOf("large")).toBeUndefined();
  for (let number = 1; number <= MAX_BODIES + 1; number++) hold(`r${number}`, 10);
  expect([bodies.bodyOf("r1"), bodies.bodyOf("r2")]).toEqual([undefined, new Uint8Array(10)]);
  for (let number = 1; number <= MAX_BODIES; number++) hold(`l${number}`, MAX_BODY);
  const held = Array.from(
    { length: MAX_BODIES },
    (_, index) => bodies.bodyOf(`l${index + 1}`)?.byteLength ?? 0,
  );
  expect(held.reduce((sum, size) => sum + size, 0)).toBe(MAX_BYTES);
  bodies.close();
  expect(bodies.bodyOf("l20")).toBeUndefined();
});

it("the page says of a delivery that the search for its cause took too long", async () => {
  const { api, endpoint } = await openInspector({ diagnose: async () => "took_too_long" });
  await fetch(endpoint, { method: "POST", ...reserialised(1) });
  await until(async () => expect((await api("/api/refusals")).json).toHaveLength(1));
  const { json } = await api("/api/refusals/r1");
  const details = json.explanation.steps.flatMap(
    (step: { details?: object[] }) => step.details ?? [],
  );
  expect(details).toContainEqual({ name: "cause", value: "not searched: took too long" });
  expect(json.body).toMatchObject({ form: "text" });
});

it("of a refused delivery with long headers, only the beginnings are kept", async () => {
  const { api, endpoint } = await openInspector();
  const headers = {
    ...reserialised(1).headers,
    "x-long": "a".repeat(3000),
    "x-token": "b".repeat(3000),
  };
  await fetch(endpoint, { method: "POST", headers, body: "{}" });
  await until(async () => expect((await api("/api/refusals")).json).toHaveLength(1));
  const { json } = await api("/api/refusals/r1");
  expect(json.headers["x-long"]).toBe(`${"a".repeat(2000)}…`);
  expect(json.headers["x-token"]).toBe("(not shown)");
});
