import { vi } from "vitest";

// For tools/vitest.fuzz.ts: each property runs until its time is over, from the seed that was
// given, instead of a number of times.
vi.mock("fast-check", async (load) => {
  const actual = await load<typeof import("fast-check")>();
  const terms = {
    ...JSON.parse(process.env.HOOKPORTER_FUZZ ?? "{}"),
    numRuns: Number.MAX_SAFE_INTEGER,
  };
  const assert = ((property: Parameters<typeof actual.assert>[0], parameters?: object) =>
    actual.assert(property, {
      ...parameters,
      ...terms,
      markInterruptAsFailure: false,
    })) as typeof actual.assert;
  return { ...actual, default: { ...actual.default, assert }, assert };
});
