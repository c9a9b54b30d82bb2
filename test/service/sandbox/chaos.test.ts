import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { inboxOf } from "../../../src/receiver/inbox-view.ts";
import { fateOf, isMissigned, NO_CHAOS } from "../../../src/service/sandbox/chaos.ts";
import { openTarget } from "../../relay/sample.ts";
import { openCountingReceiver, openSandbox } from "./open.ts";

const numbers = Array.from({ length: 500 }, (_, index) => index + 1);

describe("fate", () => {
  it("is the same for the same seed and number, and different for others", () => {
    const chaos = {
      ...NO_CHAOS,
      duplicates: 0.5,
      delay: [0, 1000] as const,
      wrongSignature: 0.5,
    };
    const all = (seed: number) =>
      numbers.map((number) => [fateOf(seed, number, chaos), isMissigned(seed, number, 1, chaos)]);
    expect(all(3)).toEqual(all(3));
    expect(all(3)).not.toEqual(all(4));
  });

  it("stays within the given limits, for any seed", () => {
    fc.assert(
      fc.property(fc.nat(), fc.nat(1000), fc.nat(1000), (seed, low, more) => {
        const chaos = { ...NO_CHAOS, duplicates: 1, delay: [low, low + more] as const };
        const { delay, copyDelay = -1 } = fateOf(seed, 1, chaos);
        for (const number of [delay, copyDelay]) {
          expect(number).toBeGreaterThanOrEqual(low);
          expect(number).toBeLessThanOrEqual(low + more);
        }
      }),
    );
  });

  it("is close to the given probability, and exact for never and always", () => {
    const share = (chance: number) => {
      const chaos = { ...NO_CHAOS, duplicates: chance, wrongSignature: chance };
      const fates = numbers.map((number) => fateOf(9, number, chaos));
      return [
        fates.filter(({ copyDelay }) => copyDelay !== undefined).length,
        numbers.filter((number) => isMissigned(9, number, 1, chaos)).length,
      ].map((count) => count / numbers.length);
    };
    expect(share(0)).toEqual([0, 0]);
    expect(share(1)).toEqual([1, 1]);
    for (const number of share(0.3)) {
      expect(number).toBeGreaterThan(0.2);
      expect(number).toBeLessThan(0.4);
    }
  });
});

describe("chaos", () => {
  it("sends a delivery twice, with the same bytes, and names the duplicated one", async () => {
    const target = await openTarget();
    const { sandbox, subscribe, settled } = await openSandbox({ chaos: { duplicates: 1 } });
    await subscribe(target.url, ["lead.created"]);
    const { deliveries } = sandbox.emit("lead.created");
    expect(deliveries).toHaveLength(2);
    expect((await settled()).map(({ copyOf }) => copyOf)).toEqual([null, deliveries[0]]);
    expect(target.got).toHaveLength(2);
    expect(target.got[0]?.body).toEqual(target.got[1]?.body);
  });

  it("signs wrongly and logs it, and a receiver keeps nothing", async () => {
    const { url, receiver } = await openCountingReceiver();
    const { sandbox, subscribe, settled } = await openSandbox({
      retry: { attempts: 2, delay: 1 },
      chaos: { wrongSignature: 1 },
    });
    await subscribe(url, ["lead.created"]);
    sandbox.emit("lead.created");
    expect(await settled()).toMatchObject([
      {
        state: "failed",
        attempts: [
          { status: 401, chaos: ["wrong-signature"] },
          { status: 401, chaos: ["wrong-signature"] },
        ],
      },
    ]);
    expect(await inboxOf(receiver).list({})).toEqual([]);
  });

  it("delays the first attempt within the range", async () => {
    const target = await openTarget();
    const { sandbox, subscribe } = await openSandbox({ chaos: { delay: [3_600_000, 3_600_000] } });
    await subscribe(target.url, ["lead.created"]);
    const { timestamp } = sandbox.emit("lead.created");
    const [delivery] = sandbox.deliveries;
    const wait = Date.parse(delivery?.nextAttemptAt ?? "") - Date.parse(timestamp);
    expect(wait).toBeGreaterThanOrEqual(3_600_000);
    expect(wait).toBeLessThan(3_601_000);
    expect(target.got).toEqual([]);
  });

  it("lets nothing through for a while, starting with the first attempt, and everything afterwards", async () => {
    const target = await openTarget();
    const { sandbox, subscribe, settled, seen } = await openSandbox({
      retry: { attempts: 201, delay: 5, factor: 1 },
      chaos: { outage: 100 },
    });
    await subscribe(target.url, ["lead.created"]);
    sandbox.emit("lead.created");
    const [delivery] = await settled();
    expect(delivery?.state).toBe("delivered");
    expect(delivery?.attempts[0]).toMatchObject({
      status: null,
      error: expect.any(String),
      chaos: ["outage"],
    });
    expect(delivery?.attempts.at(-1)).toMatchObject({ status: 200, chaos: [] });
    expect(target.got).toHaveLength(1);
    expect(seen.filter(({ type }) => type === "outage")).toEqual([
      { type: "outage", duration: 100 },
    ]);
    sandbox.emit("lead.created");
    expect((await settled()).at(-1)?.attempts).toHaveLength(1);
  });
});
