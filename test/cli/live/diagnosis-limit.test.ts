import { expect, it } from "vitest";
import { DiagnosisLimit } from "../../../src/cli/live/diagnosis-limit.ts";
import type { DeliveryObservation } from "../../../src/receiver/observation.ts";
import { diagnoseSignature } from "../../../src/signature/diagnose/diagnose.ts";

function limited() {
  const clock = { now: 0, takes: 1 };
  const limit = new DiagnosisLimit(() => clock.now);
  const asked: (number | undefined)[] = [];
  const ask = (reason: "signature_mismatch" | "signature_missing" = "signature_mismatch") => {
    const diagnose: DeliveryObservation["diagnose"] = (options) => {
      asked.push(options?.work);
      clock.now += clock.takes;
      return diagnoseSignature(Buffer.from(""), undefined, []);
    };
    return limit.diagnose({ outcome: { type: "unauthorized", reason }, diagnose }, []);
  };
  return { clock, ask, asked };
}

it("allows five diagnoses per second, and leaves out the rest", () => {
  const { clock, ask } = limited();
  const seen = Array.from({ length: 7 }, () => ask() === "left_out");
  expect(seen).toEqual([false, false, false, false, false, true, true]);
  clock.now = 1000;
  expect(ask()).not.toBe("left_out");
});

it("limits the work of a diagnosis to a fraction of a second", () => {
  const { ask, asked } = limited();
  ask();
  expect(asked).toEqual([1e8]);
});

it("pauses four times as long as a long diagnosis took", () => {
  const { clock, ask } = limited();
  clock.takes = 800;
  ask();
  clock.now = 3999;
  expect(ask()).toBe("left_out");
  clock.now = 4000;
  expect(ask()).not.toBe("left_out");
});

it("limits many short diagnoses to a fifth of the time", () => {
  const { clock, ask } = limited();
  clock.takes = 90;
  let spent = 0;
  for (clock.now = 0; clock.now < 60_000; clock.now += 10) {
    const before = clock.now;
    ask();
    spent += clock.now - before;
  }
  expect(spent).toBeGreaterThan(6000);
  expect(spent).toBeLessThan(0.22 * 60_000);
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
