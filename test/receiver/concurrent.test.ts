import { describe, expect, it } from "vitest";
import type { Accepted } from "../../src/receiver/outcome.ts";
import { json, openEndpoint } from "./open.ts";
import { envelope, freshEnvelope, inboxFile, until } from "./sample.ts";
import { ADAPTERS } from "./wire.ts";

describe.each(ADAPTERS)("many deliveries at once over $name", (adapter) => {
  // The inbox is the same behind each adapter.
  const MANY = adapter === ADAPTERS[0] ? 200 : 50;

  it("[case 56] are one entry and one run if they are one event", async () => {
    const { receiver, post, outcomes, entry, untilState } = await openEndpoint(adapter, {
      inbox: inboxFile(),
    });
    let runs = 0;
    receiver.on("payment.received", () => void runs++);
    const replies = await Promise.all(Array.from({ length: MANY }, () => post(envelope())));
    expect(replies.map(({ status }) => status)).toEqual(Array.from({ length: MANY }, () => 200));
    const bodies = replies.map((reply) => json(reply) as { id: string; duplicate: boolean });
    expect(bodies.filter(({ duplicate }) => !duplicate)).toHaveLength(1);
    expect(new Set(bodies.map(({ id }) => id)).size).toBe(1);
    await untilState("handled");
    expect(await entry()).toMatchObject({ duplicates: MANY - 1, attempts: 1 });
    expect(runs).toBe(1);
    expect(outcomes().filter((outcome) => (outcome as Accepted).duplicate)).toHaveLength(MANY - 1);
  });
});

it("[case 56] two receivers on one file store and run each event they both receive once", async () => {
  const inbox = inboxFile();
  const [adapter] = ADAPTERS.slice(-1);
  if (adapter === undefined) throw new Error("expected an adapter");
  const both = [await openEndpoint(adapter, { inbox }), await openEndpoint(adapter, { inbox })];
  const ran: string[] = [];
  for (const { receiver } of both) receiver.on("*", ({ id }) => void ran.push(id));
  const events = Array.from({ length: 20 }, () => freshEnvelope());
  const replies = await Promise.all(
    both.flatMap(({ post }) => [...events, ...events].map((event) => post(event))),
  );
  expect(replies.filter(({ status }) => status !== 200)).toEqual([]);
  const isNew = replies.filter((reply) => !(json(reply) as { duplicate: boolean }).duplicate);
  expect(isNew).toHaveLength(20);
  await until(async () => {
    const entries = (await both[0]?.entries()) ?? [];
    expect(entries.map(({ state, duplicates }) => ({ state, duplicates }))).toEqual(
      events.map(() => ({ state: "handled", duplicates: 3 })),
    );
  });
  expect(ran).toHaveLength(20);
  expect(new Set(ran).size).toBe(20);
});
