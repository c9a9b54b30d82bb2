import { describe, expect, it, vi } from "vitest";
import type { ReceiverOptions } from "../../src/entries/index.ts";
import { memoryInbox } from "../../src/inbox/memory.ts";
import { handleOf } from "../../src/inbox/shared/handle.ts";
import { readOptions } from "../../src/receiver/options/settings.ts";
import { accept, at, deliveryOf, envelope, keptLog, NOW, SECRET } from "./sample.ts";

function settingsOf(options: Partial<ReceiverOptions> = {}) {
  return readOptions({
    secret: SECRET,
    inbox: "memory:",
    log: keptLog().log,
    clock: () => NOW,
    ...options,
  });
}

it("a dead letter that the inbox does not keep is not acknowledged", async () => {
  const inbox = memoryInbox();
  vi.spyOn(inbox, "append").mockResolvedValue(undefined);
  expect(await accept(deliveryOf("{"), settingsOf({ inbox: handleOf(inbox) }))).toMatchObject({
    type: "unavailable",
    error: expect.any(TypeError),
  });
});

it("a delivery that cannot be kept is unavailable, and its error is logged", async () => {
  const { log, lines } = keptLog();
  const inbox = memoryInbox();
  vi.spyOn(inbox, "append").mockRejectedValue(new Error("disk full"));
  const outcome = await accept(deliveryOf(envelope()), settingsOf({ inbox: handleOf(inbox), log }));
  expect(outcome).toMatchObject({ type: "unavailable", error: { message: "disk full" } });
  expect(lines).toMatchObject([{ level: "error", fields: { error: "disk full" } }]);
});

describe("an event that differs from an earlier one only in its timestamp", () => {
  const earlier = envelope({ timestamp: at(-60_000) });

  it("is a restamp of it, and a duplicate is none", async () => {
    const settings = settingsOf();
    const first = await accept(deliveryOf(earlier), settings);
    const eventId = first.type === "accepted" ? first.eventId : "";
    expect(await accept(deliveryOf(envelope()), settings)).toMatchObject({ restampOf: eventId });
    expect(await accept(deliveryOf(earlier), settings)).toMatchObject({
      duplicate: true,
      restampOf: undefined,
    });
  });

  it("is no restamp if the user's identity has told them apart", async () => {
    const settings = settingsOf({ identity: ({ timestamp }) => timestamp });
    await accept(deliveryOf(earlier), settings);
    expect(await accept(deliveryOf(envelope()), settings)).toMatchObject({
      duplicate: false,
      restampOf: undefined,
    });
  });
});

it("a delivery is misconfigured if the secrets cannot be read for it, and nothing is kept", async () => {
  const secret = vi.fn(() => SECRET).mockImplementationOnce(() => "");
  const settings = settingsOf({ secret });
  expect(await accept(deliveryOf(envelope()), settings)).toMatchObject({
    type: "misconfigured",
    error: { code: "secret_empty" },
  });
  expect(await settings.inbox.list({})).toEqual([]);
  expect(await accept(deliveryOf(envelope()), settings)).toMatchObject({ type: "accepted" });
});
