import { expect, it } from "vitest";
import { DiagnosisLimit, QUICK_WORK } from "../../../src/cli/live/diagnosis-limit.ts";
import type { DeliveryObservation } from "../../../src/receiver/observation.ts";
import { type Diagnosis, diagnoseSignature } from "../../../src/signature/diagnose/diagnose.ts";
import { readSecrets } from "../../../src/signature/secrets.ts";
import { sign } from "../../../src/signature/sign.ts";

function limited() {
  const clock = { now: 0, takes: 1 };
  const limit = new DiagnosisLimit(() => clock.now);
  const asked: (number | undefined)[] = [];
  const ask = (
    reason: "signature_mismatch" | "signature_missing" = "signature_mismatch",
    found?: Diagnosis,
  ) => {
    const diagnose: DeliveryObservation["diagnose"] = (options) => {
      asked.push(options?.work);
      clock.now += options?.work === QUICK_WORK ? Math.min(clock.takes, 10) : clock.takes;
      const header = reason === "signature_missing" ? undefined : `sha256=${"0".repeat(64)}`;
      return found ?? diagnoseSignature(Buffer.from(""), header, []);
    };
    return limit.diagnose({ outcome: { type: "unauthorized", reason }, diagnose }, []);
  };
  return { clock, ask, asked };
}

it("allows five whole diagnoses per second, and leaves out the rest unless a quick one explains them", () => {
  const { clock, ask } = limited();
  const seen = Array.from({ length: 7 }, () => ask() === "left_out");
  expect(seen).toEqual([false, false, false, false, false, true, true]);
  clock.now = 1000;
  expect(ask()).not.toBe("left_out");
});

it("twenty equal refusals within two seconds all have their cause", () => {
  const secrets = readSecrets("a secret that is long enough for tests");
  const [sent, received] = ['{"a":1,"b":"x"}', '{ "a": 1, "b": "x" }'].map((text) => Buffer.from(text));
  const signature = sign(sent ?? Buffer.alloc(0), "a secret that is long enough for tests");
  const found = diagnoseSignature(received ?? Buffer.alloc(0), signature, secrets, { work: QUICK_WORK });
  expect(found.code).toBe("json_spacing");
  const { clock, ask } = limited();
  clock.takes = 10;
  const seen = Array.from({ length: 20 }, (_, index) => {
    clock.now = 100 * index;
    return ask("signature_mismatch", found);
  });
  expect(seen).toEqual(Array(20).fill(found));
});

it("limits the work of a diagnosis to a fraction of a second", () => {
  const { ask, asked } = limited();
  ask();
  expect(asked).toEqual([1e8]);
});

it("makes a pause four times as long as a long diagnosis took", () => {
  const { clock, ask } = limited();
  clock.takes = 800;
  ask();
  clock.now = 3999;
  expect(ask()).toBe("left_out");
  clock.now = 4000;
  expect(ask()).not.toBe("left_out");
});

it("limits many short diagnoses to a fifth of the time, and quick ones to a tenth", () => {
  const { clock, ask } = limited();
  clock.takes = 90;
  let spent = 0;
  for (clock.now = 0; clock.now < 60_000; clock.now += 10) {
    const before = clock.now;
    ask();
    spent += clock.now - before;
  }
  expect(spent).toBeGreaterThan(6000);
  expect(spent).toBeLessThan(0.32 * 60_000);
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
