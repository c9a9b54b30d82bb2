import { describe, expect, it } from "vitest";
import { eventKinds } from "../../src/entries/index.ts";
import { readEnvelope } from "../../src/event/read-envelope.ts";
import { sampleEvent } from "../../src/event/sample.ts";

describe("sampleEvent", () => {
  it.each(eventKinds)(
    "returns an envelope of %s with the sample's own timestamp and data",
    (kind) => {
      const sample = sampleEvent(kind);
      expect(sample.event).toBe(kind);
      expect(Object.keys(sample.data).length).toBeGreaterThan(0);
      expect(readEnvelope(Buffer.from(JSON.stringify(sample)))).toMatchObject({ ok: true });
    },
  );

  it("takes another timestamp, and other data, without changing the rest", () => {
    const sample = sampleEvent("lead.created");
    expect(sampleEvent("lead.created", { timestamp: 0 })).toEqual({
      ...sample,
      timestamp: "1970-01-01T00:00:00.000Z",
    });
    expect(sampleEvent("lead.created", { data: {} })).toEqual({ ...sample, data: {} });
  });

  it("returns a copy, so that changes reach neither the next sample nor the given data", () => {
    const data = { list: [1] };
    const sample = sampleEvent("lead.created", { data });
    (sample.data.list as number[]).push(2);
    expect(data).toEqual({ list: [1] });
    const first = sampleEvent("lead.created");
    first.webhook.id = "wh_changed";
    expect(sampleEvent("lead.created").webhook.id).not.toBe("wh_changed");
  });
});
