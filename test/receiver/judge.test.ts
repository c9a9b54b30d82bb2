import { describe, expect, it } from "vitest";
import { z } from "zod";
import type { ReceiverOptions } from "../../src/entries/index.ts";
import { OWN_IDENTITY } from "../../src/event/identity.ts";
import { readEnvelope } from "../../src/event/read-envelope.ts";
import { checkData } from "../../src/event/schemas.ts";
import { judge } from "../../src/receiver/judge.ts";
import { readOptions } from "../../src/receiver/options/settings.ts";
import { envelope, keptLog, NOW, SECRET } from "./sample.ts";

async function judged(options: Partial<ReceiverOptions>) {
  const settings = readOptions({
    secret: SECRET,
    inbox: "memory:",
    log: keptLog().log,
    ...options,
  });
  const read = readEnvelope(Buffer.from(JSON.stringify(envelope())));
  if (!read.ok) throw new Error(read.rejection.reason);
  const { event, data } = read.envelope;
  const checked = await checkData(event, data, settings.schemas);
  return { read, settings, judgement: judge(read, checked, settings) };
}

describe("judge", () => {
  it("gives an event its own key and no order, and makes it ready for its handlers", async () => {
    const { read, settings, judgement } = await judged({ source: "agency" });
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
      order: null,
      problems: [],
      ready: { event, schemas: settings.schemas },
    });
  });

  it("makes it ready with the output of the user's schema, but not what does not fit it", async () => {
    const schema = z.object({ amount: z.number().transform((euros) => euros * 100) });
    const { judgement } = await judged({ schemas: { "payment.received": schema } });
    expect(judgement).toMatchObject({ ready: { event: { data: { amount: 120_000 } } } });
    const later = z.object({}).refine(async () => false);
    const { judgement: unfit } = await judged({ schemas: { "payment.received": later } });
    expect(unfit).toMatchObject({ problems: [{ field: "data" }] });
    expect(unfit).not.toHaveProperty("ready");
  });

  it("asks the user for key and order, and does not hand on what the user's code has seen", async () => {
    const { judgement } = await judged({ identity: () => "mine" });
    expect(judgement).toMatchObject({
      key: { eventId: "mine", timestamp: OWN_IDENTITY },
      ready: undefined,
    });
    expect((await judged({ orderBy: () => "a" })).judgement).toMatchObject({
      order: "a",
      ready: undefined,
    });
  });

  it("names the user's function that throws, and keeps what it threw", async () => {
    const identity = () => {
      throw new RangeError("no");
    };
    await expect(judged({ identity })).rejects.toMatchObject({
      code: "option_invalid",
      cause: expect.any(RangeError),
    });
  });
});
