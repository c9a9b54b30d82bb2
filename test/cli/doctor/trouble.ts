import { expect } from "vitest";
import { createReceiver } from "../../../src/entries/index.ts";
import { sampleEvent, signedRequest } from "../../../src/entries/testing.ts";
import { keptLog, SECRET, until } from "../../receiver/sample.ts";
import { diagnose, type Place } from "./place.ts";

/** The findings of `doctor --report`, and all their words. */
export async function report(place: Place) {
  const found = await diagnose({ ...place, argv: [...place.argv, "--report"] });
  const of = (check: string) =>
    found.findings.filter((finding) => finding.check === check).map(({ message }) => message);
  return { ...found, of, text: JSON.stringify(found.findings) };
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
    await receiver.accept({
      method: "POST",
      target: "/webhooks",
      headers,
      body,
      receivedAt: clock(),
    });
  };
  for (const index of [0, 1, 2]) await deliver(SECRET, index);
  await until(() => expect(attempts).toHaveLength(3));
  for (const index of [3, 4, 5, 6]) await deliver("a secret of another sender", index);
  await receiver.close();
}
