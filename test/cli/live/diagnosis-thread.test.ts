import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { DiagnosisLimit } from "../../../src/cli/live/diagnosis-limit.ts";
import { DiagnosisThread, MOST_WAITING } from "../../../src/cli/live/diagnosis-thread.ts";
import { SIGNATURE_HEADER } from "../../../src/entries/index.ts";
import type { InspectedDelivery } from "../../../src/receiver/observed.ts";
import { readSecrets } from "../../../src/signature/secrets.ts";
import { delivery } from "./observations.ts";

const SECRET = "a secret that is long enough";
const STAND_IN = join(import.meta.dirname, "threads", "endless.mjs");

function open(program = STAND_IN, mostTime = 300) {
  const warned: string[] = [];
  const clock = { now: 0 };
  const thread = new DiagnosisThread({
    program,
    mostTime,
    limit: new DiagnosisLimit(() => clock.now),
    start: () => ({
      secrets: readSecrets(SECRET),
      others: [],
      signatureHeader: SIGNATURE_HEADER,
    }),
    warn: (message) => warned.push(message),
  });
  thread.start();
  onTestFinished(() => thread.close());
  return { thread, warned, clock };
}

function refusedWith(body: Uint8Array | string): InspectedDelivery {
  const headers = { [SIGNATURE_HEADER]: `sha256=${"0".repeat(64)}` };
  const outcome = { type: "unauthorized", reason: "signature_mismatch" } as const;
  return { ...delivery({ headers, outcome, bytes: body.length }), body: () => Buffer.from(body) };
}

it("a diagnosis that does not end is ended, and the next one works", async () => {
  const { thread, clock } = open();
  await thread.diagnose(refusedWith("warm"));
  const first = thread.diagnose(refusedWith("endless"));
  const second = thread.diagnose(refusedWith("early"));
  clock.now += 60_000; // saves up the time that the first one takes
  expect(await first).toBe("took_too_long");
  expect(await second).toMatchObject({ advice: ["early"] });
  clock.now += 60_000;
  expect(await thread.diagnose(refusedWith("endless"))).toBe("took_too_long");
  clock.now += 60_000;
  expect(await thread.diagnose(refusedWith("late"))).toMatchObject({ advice: ["late"] });
});

it("a diagnosis that took too long uses up the share of the time", async () => {
  const { thread, clock } = open(STAND_IN, 600);
  expect(await thread.diagnose(refusedWith("endless"))).toBe("took_too_long");
  expect(await thread.diagnose(refusedWith("now"))).toBe("left_out");
  clock.now += 60_000;
  expect(await thread.diagnose(refusedWith("later"))).toMatchObject({ advice: ["later"] });
});

it("an answer that came while this thread was busy counts, though its time is over", async () => {
  const { thread } = open();
  await thread.diagnose(refusedWith("warm"));
  const found = thread.diagnose(refusedWith("in time"));
  await new Promise((resolve) => setImmediate(resolve));
  const until = performance.now() + 500;
  while (performance.now() < until);
  expect(await found).toMatchObject({ advice: ["in time"] });
});

it("one diagnosis runs, twenty wait, and the next are left out", async () => {
  const { thread, clock } = open();
  await thread.diagnose(refusedWith("warm"));
  const running = thread.diagnose(refusedWith("endless"));
  const waiting = Array.from({ length: MOST_WAITING }, (_, index) =>
    thread.diagnose(refusedWith(`${index}`)),
  );
  const leftOut = thread.diagnose(refusedWith("too many"));
  clock.now += 60_000;
  expect(await Promise.race([running, ...waiting, leftOut])).toBe("left_out");
  expect(await leftOut).toBe("left_out");
  expect(await running).toBe("took_too_long");
  const answers = await Promise.all(waiting);
  expect(answers.map((answer) => typeof answer === "object" && answer.advice[0])).toEqual(
    Array.from({ length: MOST_WAITING }, (_, index) => `${index}`),
  );
});

it("a thread that ends by itself is replaced", async () => {
  const { thread, warned, clock } = open();
  const crashed = thread.diagnose(refusedWith("crash"));
  const next = thread.diagnose(refusedWith("next"));
  clock.now += 60_000;
  expect(await crashed).toBeUndefined();
  expect(await next).toMatchObject({ advice: ["next"] });
  expect(warned).toEqual([]);
});

it("without a thread nothing is diagnosed, and a warning says so once", async () => {
  const { thread, warned } = open(join(import.meta.dirname, "threads", "missing.mjs"));
  expect(await thread.diagnose(refusedWith("a"))).toBeUndefined();
  expect(await thread.diagnose(refusedWith("b"))).toBeUndefined();
  expect(warned).toEqual([expect.stringMatching(/^the thread .* cannot start: /)]);
});

it("a delivery whose body was not read has a diagnosis, and one that is authentic has none", async () => {
  const { thread } = open();
  const unread = await thread.diagnose({ ...refusedWith(""), body: undefined });
  expect(unread).toMatchObject({ advice: [""] });
  const outcome = { type: "refused", reason: "wrong_path" } as const;
  expect(await thread.diagnose({ ...refusedWith("a"), outcome })).toBeUndefined();
});

it("what waits gets no diagnosis when the thread is closed", async () => {
  const { thread } = open();
  await thread.diagnose(refusedWith("warm"));
  const pending = ["endless", "next"].map((text) => thread.diagnose(refusedWith(text)));
  await new Promise((resolve) => setImmediate(resolve));
  thread.close();
  expect(await Promise.all(pending)).toEqual([undefined, undefined]);
  expect(await thread.diagnose(refusedWith("after"))).toBeUndefined();
});
