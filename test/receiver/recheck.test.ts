import { describe, expect, it } from "vitest";
import { z } from "zod";
import { openReceiver } from "./open.ts";
import { deliveryOf, envelope } from "./sample.ts";

describe("recheck", () => {
  it("returns how the data of an entry does not fit the schemas now", async () => {
    let wanted = false;
    const amount = z.any().refine(() => wanted);
    const { receiver } = await openReceiver({
      schemas: { "payment.received": z.looseObject({ amount }) },
    });
    await receiver.accept(deliveryOf(envelope()));
    expect(await receiver.recheck(1)).toMatchObject([{ field: "data.amount" }]);
    wanted = true;
    expect(await receiver.recheck(1)).toEqual([]);
  });

  it("returns nothing for an entry that is not there, or is no event", async () => {
    const { receiver } = await openReceiver();
    expect(await receiver.accept(deliveryOf("{"))).toMatchObject({ type: "rejected", seq: 1 });
    expect(await receiver.recheck(1)).toEqual([]);
    expect(await receiver.recheck(2)).toEqual([]);
  });
});
