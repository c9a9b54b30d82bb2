import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it, vi } from "vitest";
import { z } from "zod";
import * as mini from "zod/mini";
import { z as zod3 } from "zod/v3";
import { openReceiver } from "./open.ts";
import { deliveryOf, freshEnvelope, uncaught, until } from "./sample.ts";

const KIND = "payment.received";

const late = async () => {
  await sleep(2);
  throw new Error("mine");
};

describe.each<[string, (check: () => Promise<never>) => unknown]>([
  ["a refinement", (check) => z.looseObject({}).refine(check)],
  [
    "two refinements",
    (check) => z.looseObject({ id: z.string().refine(check), other: z.any().refine(check) }),
  ],
  ["a transformation", (check) => z.looseObject({ id: z.string().transform(check) })],
  [
    "what follows an async transformation",
    (check) => {
      const id = z.string().transform(async (value) => value);
      return z.looseObject({ id: id.pipe(z.string().refine(check)) });
    },
  ],
  ["a refinement of zod/mini", (check) => mini.looseObject({}).check(mini.refine(check))],
  ["a refinement of zod 3", (check) => zod3.object({}).passthrough().refine(check)],
])("%s that rejects, of a schema of zod", (what, schemaWith) => {
  it("is run once, leaves a dead letter, and ends nothing", async () => {
    const caught = uncaught();
    const check = vi.fn(late);
    const schemas = { [KIND]: schemaWith(check) } as never;
    const { receiver } = await openReceiver({ schemas });
    const delivery = deliveryOf(freshEnvelope());
    expect(await receiver.accept(delivery)).toMatchObject({
      reason: "schema_failed",
      problems: [{ message: expect.stringContaining("mine") }],
    });
    await sleep(10);
    expect(caught).toEqual([]);
    expect(check.mock.calls.length).toBe(what === "two refinements" ? 2 : 1);
  });
});

it("a schema of zod refuses and transforms data as before, in line and not", async () => {
  const schemas = {
    [KIND]: z.object({ id: z.string(), amount: z.coerce.number().refine(async (n) => n > 1) }),
  };
  const { receiver } = await openReceiver({ schemas: schemas as never });
  const seen: unknown[] = [];
  receiver.on(KIND, ({ data }) => void seen.push(data));
  await receiver.accept(deliveryOf(freshEnvelope({ data: { id: "a", amount: "2" } })));
  const refused = await receiver.accept(
    deliveryOf(freshEnvelope({ data: { id: "b", amount: "1" } })),
  );
  expect(refused).toMatchObject({ reason: "invalid_data", problems: [{ field: "data.amount" }] });
  await until(() => expect(seen).toEqual([{ id: "a", amount: 2 }]));
});
