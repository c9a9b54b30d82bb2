import { expect } from "vitest";
import { createReceiver } from "../../../src/entries/index.ts";
import { sampleEvent, signedRequest } from "../../../src/entries/testing.ts";
import { keptLog, SECRET, until } from "../../receiver/sample.ts";
import { diagnose, type Place } from "./place.ts";

/** The findings of `doctor --report`, and all their words. */
export async function report(place: Place) {
  const found = await diagnose({ ...place, argv: [...place.argv, "--report"] });
  return { ...found, text: JSON.stringify(found.findings) };
}

/** Expects the report to name the trouble of some 20 minutes ago, and not the payloads. */
export function expectTrouble({ code, of, text }: Awaited<ReturnType<typeof report>>): void {
  expect(code).toBe(0);
  const [facts, warning] = of("signatures");
  expect(facts).toMatch(
    /latest authentic delivery .*\(20 min ago\), latest mismatch .*\(20 min ago\)$/,
  );
  expect(warning).toMatch(/^4 refused since /);
  expect(of("entries")).toEqual([
    "0 unfinished, 0 due, the oldest: none; 3 dead letters",
    "3 dead letters",
  ]);
  expect(of("dead letters")).toEqual([
    expect.stringMatching(/^3 since .*: no account for …, # at .*trouble\.ts/),
  ]);
  expect(of("changes")[0]).toMatch(
    /^last well at .*; changed since an hour before: .*\.env changed$/,
  );
  expect(text).not.toMatch(/Jane|4711/);
}

/**
 * Delivers events some time ago: 3 that are refused by their handler, and 4 with another secret.
 */
export async function trouble(inbox: string, ago: number): Promise<void> {
  const clock = () => Date.now() - ago;
  const attempts: string[] = [];
  const receiver = createReceiver({
    secret: SECRET,
    inbox,
    clock,
    log: keptLog().log,
    retry: { attempts: 1 },
    handlers: {
      "payment.*": () => {
        throw new Error("no account for 'Jane Doe', 4711");
      },
    },
  });
  receiver.observe(({ type }) => {
    if (type === "attempt") attempts.push(type);
  });
  await receiver.start();
  const deliver = async (secret: string, index: number) => {
    const event = sampleEvent("payment.received", { timestamp: clock() + index });
    const { headers, body } = signedRequest(event, { secret });
    const delivery = { method: "POST", target: "/webhooks", headers, body };
    await receiver.accept({ ...delivery, receivedAt: clock() });
  };
  for (const index of [0, 1, 2]) await deliver(SECRET, index);
  await until(() => expect(attempts).toHaveLength(3));
  for (const index of [3, 4, 5, 6]) await deliver("a secret of another sender", index);
  await receiver.close();
}
