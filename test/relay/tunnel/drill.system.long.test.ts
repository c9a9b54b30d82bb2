import { expect, it } from "vitest";
import { long } from "../../long.ts";
import { drill } from "./drill.ts";

const MINUTE = 60_000;

it("no delivery is lost while the app, the edge and the tunnel's process are killed at random", {
  timeout: long(2, 20) * MINUTE,
}, async () => {
  const kills = long(2, 100);
  const result = await drill({ deliveries: long(1000, 10_000), kills, seed: 20_261_121 });
  expect(result).toEqual({
    arrived: long(1000, 10_000),
    altered: 0,
    addresses: expect.any(Number),
    told: result.addresses - 1,
    exitCode: 0,
    processesLeft: 0,
    sessionsLeft: 0,
  });
  expect(result.addresses).toBeGreaterThan(1);
});
