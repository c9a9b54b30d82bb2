import { expect, it, vi } from "vitest";
import { openReceiver } from "./open.ts";
import { deliveryOf, envelope, freshEnvelope, gate, inboxFile, MINUTE, until } from "./sample.ts";

/** Milliseconds after which a receiver checks again the entries it left to another process. */
const LOOK_AGAIN = 11_000;

/** An inbox file with one entry, which failed in a receiver that is now closed. */
async function failedElsewhere() {
  const inbox = inboxFile();
  const { receiver, entry } = await openReceiver({ inbox });
  receiver.on("*", () => Promise.reject(new Error("not yet")));
  await receiver.accept(deliveryOf(envelope()));
  await until(async () => expect(await entry()).toMatchObject({ state: "failing", attempts: 1 }));
  await receiver.close();
  return inbox;
}

it("a retry waits in a receiver without handlers, and runs in one that has a handler for it", async () => {
  const inbox = await failedElsewhere();
  const watching = await openReceiver({ inbox });
  watching.clock.now += MINUTE;
  await until(async () => expect(await watching.entry()).toMatchObject({ reason: "no_handler" }));
  expect(await watching.entry()).toMatchObject({ state: "waiting", attempts: 1, settledAt: null });
  expect(watching.seen).toEqual([]);
  await watching.receiver.close();

  const next = await openReceiver({ inbox });
  next.clock.now = watching.clock.now + LOOK_AGAIN;
  const ran = vi.fn();
  next.receiver.on("*", (_, { attempt }) => ran(attempt));
  await next.untilState("handled");
  expect(ran).toHaveBeenCalledExactlyOnceWith(2);
  expect(await next.entry()).toMatchObject({ reason: null });
});

it("a retry waits in a receiver that handles only other kinds, until a handler for it is registered", async () => {
  const inbox = await failedElsewhere();
  const { receiver, clock, entry, untilState } = await openReceiver({ inbox });
  receiver.on("lead.created", () => {});
  clock.now += MINUTE;
  await until(async () => expect(await entry()).toMatchObject({ reason: "no_handler" }));
  expect(await entry()).toMatchObject({ state: "waiting", attempts: 1 });
  receiver.replaceHandlers((registry) => registry.on("*", () => {}));
  clock.now += LOOK_AGAIN;
  await untilState("handled");
});

it("entries from before the start wait in a receiver without handlers", async () => {
  const inbox = inboxFile();
  const busy = await openReceiver({ inbox, concurrency: 1, drainTimeout: 0 });
  busy.receiver.on("*", () => gate().opened);
  await busy.receiver.accept(deliveryOf(freshEnvelope()));
  await busy.receiver.accept(deliveryOf(freshEnvelope()));
  await busy.receiver.close();

  let now = busy.clock.now + 1;
  const watching = await openReceiver({ inbox, clock: () => now });
  const states = async () => (await watching.entries()).map(({ state }) => state);
  await until(async () =>
    expect(await watching.entries()).toMatchObject([
      { reason: "no_handler" },
      { reason: "no_handler" },
    ]),
  );
  expect(await states()).toEqual(["waiting", "waiting"]);
  await watching.receiver.accept(deliveryOf(freshEnvelope(), undefined, now));
  await until(async () => expect(await states()).toEqual(["waiting", "waiting", "received"]));
  watching.receiver.on("*", () => {});
  now += LOOK_AGAIN;
  await until(async () => expect(await states()).toEqual(["handled", "handled", "received"]));
});

it("an entry from before the start ends as received in a receiver that handles other kinds", async () => {
  const inbox = inboxFile();
  const busy = await openReceiver({ inbox, drainTimeout: 0 });
  busy.receiver.on("*", () => gate().opened);
  await busy.receiver.accept(deliveryOf(envelope()));
  await busy.receiver.close();
  const { receiver, untilState } = await openReceiver({ inbox, poll: 60_000 });
  receiver.on("lead.created", () => {});
  await untilState("received");
});
