import { expect, it } from "vitest";
import { DiagnosisLimit, SHARE, WORK } from "../../../src/cli/live/diagnosis-limit.ts";
import type { DeliveryObservation } from "../../../src/receiver/observation.ts";
import { diagnoseSignature } from "../../../src/signature/diagnose/diagnose.ts";

/** Made once: the limit looks at how long a diagnosis takes, which the clock here decides. */
const DIAGNOSES = {
  signature_missing: diagnoseSignature(Buffer.from(""), undefined, []),
  signature_mismatch: diagnoseSignature(Buffer.from(""), `sha256=${"0".repeat(64)}`, []),
};

function limited() {
  const clock = { now: 0, takes: 1 };
  const limit = new DiagnosisLimit(() => clock.now);
  const asked: (number | undefined)[] = [];
  const ask = (reason: keyof typeof DIAGNOSES = "signature_mismatch") => {
    const diagnose: DeliveryObservation["diagnose"] = (options) => {
      asked.push(options?.work);
      clock.now += ((options?.work ?? 0) / WORK) * clock.takes;
      return DIAGNOSES[reason];
    };
    return limit.diagnose({ outcome: { type: "unauthorized", reason }, diagnose }, []);
  };
  return { clock, ask, asked };
}

it("twenty equal refusals within two seconds are all diagnosed, also if nothing explains them", () => {
  const { clock, ask, asked } = limited();
  clock.takes = 200;
  const seen = Array.from({ length: 20 }, (_, index) => {
    clock.now = Math.max(clock.now, 100 * index);
    return ask();
  });
  expect(seen.filter((one) => one === "left_out")).toEqual([]);
  // With a fiftieth of the work, common causes are found.
  expect(Math.min(...asked.map((work) => work ?? 0))).toBeGreaterThan(WORK / 50);
});

it("limits the work of a diagnosis to a fraction of a second", () => {
  const { ask, asked } = limited();
  ask();
  expect(asked).toEqual([1e8]);
});

it("pauses after a long diagnosis, and leaves out those that come meanwhile", () => {
  const { clock, ask } = limited();
  clock.takes = 800;
  ask();
  clock.now = 1540;
  expect(ask()).toBe("left_out");
  clock.now = 1560;
  expect(ask()).not.toBe("left_out");
});

it.each([90, 400])("limits diagnoses of %d ms to a fifth of the time", (takes) => {
  const { clock, ask } = limited();
  clock.takes = takes;
  let spent = 0;
  for (clock.now = 0; clock.now < 60_000; clock.now += 10) {
    const before = clock.now;
    ask();
    spent += clock.now - before;
  }
  expect(spent).toBeGreaterThan(0.9 * SHARE * 60_000);
  expect(spent).toBeLessThan(1.1 * SHARE * 60_000);
});

it("always reports a missing header, and diagnoses only refused signatures", () => {
  const { ask } = limited();
  for (let round = 0; round < 20; round++)
    expect(ask("signature_missing")).toMatchObject({ code: "header_missing" });
  const accepted = { outcome: { type: "refused", reason: "wrong_path" } } as Pick<
    DeliveryObservation,
    "outcome"
  >;
  expect(new DiagnosisLimit().diagnose(accepted, [])).toBeUndefined();
});
