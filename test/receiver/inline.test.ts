import { describe, expect, it, vi } from "vitest";
import type { Incoming } from "../../src/entries/index.ts";
import { memoryInbox } from "../../src/inbox/memory.ts";
import { handleOf } from "../../src/inbox/shared/handle.ts";
import type { Inline } from "../../src/receiver/incoming.ts";
import { openReceiver } from "./open.ts";
import {
  bytes,
  deliveryOf,
  envelope,
  freshEnvelope,
  signedHeaders,
  until,
  wrapInbox,
} from "./sample.ts";

function incoming(
  content: object | string = freshEnvelope(),
  parts: Partial<Incoming> = {},
): Incoming {
  const body = bytes(content);
  const read = async () => body;
  return {
    method: "POST",
    target: "/in",
    path: "/in",
    headers: signedHeaders(body),
    read,
    ...parts,
  };
}

const OWN = { status: 202, headers: {}, body: Buffer.from("own") };

/** Reserves events for a second and answers with `OWN`. */
function holding() {
  const answer = vi.fn<Inline["answer"]>(async () => OWN);
  return { hold: 1000, answer };
}

describe("receive with an inline answer", () => {
  it("calls it once the event is stored, and reserves the event for a while", async () => {
    const { receiver, clock, entry, untilState } = await openReceiver();
    receiver.on("*", () => {});
    const inline = holding();
    expect(await receiver.receive(incoming(), inline)).toBe(OWN);
    expect(inline.answer).toHaveBeenCalledExactlyOnceWith(
      expect.objectContaining({
        type: "accepted",
        seq: 1,
        entryState: "waiting",
        duplicate: false,
      }),
    );
    clock.now += 999;
    await new Promise((resolve) => setTimeout(resolve, 30));
    expect(await entry()).toMatchObject({ state: "waiting", attempts: 0 });
    clock.now += 1;
    await untilState("handled");
  });

  it("sends the default answer if it returns none", async () => {
    const { receiver } = await openReceiver();
    const answer = await receiver.receive(incoming(), { hold: 0, answer: async () => undefined });
    expect(answer).toMatchObject({ status: 200 });
  });

  it("is not called for what is not kept as an event", async () => {
    const append = () => Promise.reject(new Error("disk full"));
    const full = handleOf(wrapInbox(memoryInbox(), { append }));
    const { receiver } = await openReceiver();
    const { receiver: failing } = await openReceiver({ inbox: full });
    const inline = holding();
    for (const [to, request, status] of [
      [receiver, incoming(undefined, { headers: {} }), 401],
      [receiver, incoming("no JSON"), 400],
      [receiver, incoming(undefined, { target: "/other" }), 404],
      [failing, incoming(), 503],
    ] as const)
      expect(await to.receive(request, inline)).toMatchObject({ status });
    expect(inline.answer).not.toHaveBeenCalled();
  });

  it("is called for a duplicate too, with its entry's state", async () => {
    const { receiver, untilState } = await openReceiver();
    receiver.on("*", () => {});
    await receiver.receive(incoming(envelope()));
    await untilState("handled");
    const inline = holding();
    await receiver.receive(incoming(envelope()), inline);
    expect(inline.answer).toHaveBeenCalledWith(
      expect.objectContaining({ duplicate: true, entryState: "handled" }),
    );
  });
});

describe("runNow", () => {
  it("runs an entry at once, even if it is waiting for its next attempt", async () => {
    const { receiver, untilState, entry } = await openReceiver();
    receiver.on("*", (_, { attempt, note }) => {
      note(`attempt ${attempt}`);
      if (attempt === 1) throw new Error("not yet");
    });
    await receiver.accept(deliveryOf(envelope()));
    await until(async () => expect(await entry()).toMatchObject({ state: "failing", attempts: 1 }));
    expect(await receiver.runNow(1)).toMatchObject({
      state: "handled",
      records: [{ attempt: 2, note: "attempt 2" }],
    });
    await untilState("handled");
    expect(await receiver.runNow(1)).toBeUndefined();
  });

  it("runs nothing before start() and after close()", async () => {
    const { receiver } = await openReceiver();
    await receiver.close();
    expect(await receiver.runNow(1)).toBeUndefined();
  });
});
