import { expect, it } from "vitest";
import { Restamps } from "../../src/receiver/restamps.ts";
import { openReceiver } from "./open.ts";
import { at, deliveryOf, envelope } from "./sample.ts";

it("only the same content with another timestamp is a restamp", () => {
  const restamps = new Restamps();
  expect(restamps.note("c", "evt_1", 1000)).toBeUndefined();
  expect(restamps.note("c", "evt_1", 1000)).toBeUndefined();
  expect(restamps.note("d", "evt_2", 2000)).toBeUndefined();
  expect(restamps.note("c", "evt_3", 3000)).toBe("evt_1");
  expect(restamps.note("c", "evt_4", 4000)).toBe("evt_3");
});

it("the oldest contents are forgotten, so memory stays bounded", () => {
  const restamps = new Restamps();
  restamps.note("first", "evt_0", 0);
  for (let number = 1; number <= 2000; number++)
    restamps.note(`c${number}`, `evt_${number}`, number);
  expect(restamps.note("first", "evt_x", 5)).toBeUndefined();
  expect(restamps.note("c1900", "evt_y", 5)).toBe("evt_1900");
});

it("[case 62] the outcome of a restamped event has `restampOf`", async () => {
  const { receiver } = await openReceiver();
  const first = await receiver.accept(deliveryOf(envelope()));
  const second = await receiver.accept(deliveryOf(envelope({ timestamp: at(1) })));
  const again = await receiver.accept(deliveryOf(envelope({ timestamp: at(1) })));
  const id = first.type === "accepted" ? first.eventId : "";
  expect(first).toMatchObject({ restampOf: undefined });
  expect(second).toMatchObject({ duplicate: false, restampOf: id });
  expect(again).toMatchObject({ duplicate: true });
  expect(again).toMatchObject({ restampOf: undefined });
});

it("[case 62] an event that `identity` makes a duplicate, or tells apart, has no `restampOf`", async () => {
  for (const [own, duplicate] of [
    ["id", true],
    ["amount", false],
  ] as const) {
    const { receiver } = await openReceiver({
      identity: ({ data, timestamp }) => (own === "id" ? String(data.id) : timestamp),
    });
    await receiver.accept(deliveryOf(envelope()));
    const second = await receiver.accept(deliveryOf(envelope({ timestamp: at(1) })));
    expect(second).toMatchObject({ duplicate, restampOf: undefined });
  }
});
