import { describe, expect, it } from "vitest";
import { z } from "zod";
import { OWN_IDENTITY } from "../../src/event/identity.ts";
import { readEnvelope } from "../../src/event/read-envelope.ts";
import { judge } from "../../src/receiver/judge.ts";
import { readOptions } from "../../src/receiver/options/options.ts";
import type { ReceiverOptions } from "../../src/receiver/options/receiver-options.ts";
import { envelope, keptLog, NOW, SECRET } from "./sample.ts";

function judged(options: Partial<ReceiverOptions>) {
  const settings = readOptions({ secret: SECRET, inbox: "memory:", log: keptLog().log, ...options });
  const read = readEnvelope(Buffer.from(JSON.stringify(envelope())));
  if (!read.ok) throw new Error(read.rejection.reason);
  return { read, settings, judgement: judge(read, settings) };
}

describe("judge", () => {
  it("gives an event its own key and no order, and makes it ready for its handlers", () => {
    const { read, settings, judgement } = judged({ source: "agency" });
    const { eventId, envelope: sent } = read;
    const event = {
      id: eventId,
      kind: "payment.received",
      source: "agency",
      data: sent.data,
      envelope: sent,
    };
    expect(judgement).toMatchObject({
      key: { source: "agency", eventId, timestamp: NOW },
      ...{ order: null, problems: [], ready: { event, schemas: settings.schemas } },
    });
  });

  it("makes it ready with the output of the user's schema, and waits for one that is asynchronous", async () => {
    const schema = z.object({ amount: z.number().transform((euros) => euros * 100) });
    const { judgement } = judged({ schemas: { "payment.received": schema } });
    expect(judgement).toMatchObject({ ready: { event: { data: { amount: 120_000 } } } });
    const later = z.object({}).refine(async () => false);
    const waited = judged({ schemas: { "payment.received": later } }).judgement;
    expect(waited).toBeInstanceOf(Promise);
    expect(await waited).toMatchObject({ problems: [{ field: "data" }] });
    expect(await waited).not.toHaveProperty("ready");
  });

  it("asks the user for key and order, and does not hand on what the user's code has seen", () => {
    const { judgement } = judged({ identity: () => "mine" });
    expect(judgement).toMatchObject({ key: { eventId: "mine", timestamp: OWN_IDENTITY }, ready: undefined });
    expect(judged({ orderBy: () => "a" }).judgement).toMatchObject({ order: "a", ready: undefined });
  });

  it("throws what the user's code throws", () => {
    const identity = () => {
      throw new RangeError("no");
    };
    expect(() => judged({ identity })).toThrow(RangeError);
  });
});
