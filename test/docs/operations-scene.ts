import { setTimeout as delay } from "node:timers/promises";
import { createReceiver, type EventKind, type ReceiverOptions } from "../../src/entries/index.ts";
import { sampleEvent, signedRequest } from "../../src/entries/testing.ts";
import type { HandlersOption } from "../../src/receiver/handlers/define-handlers.ts";
import { keptLog, SECRET } from "../receiver/sample.ts";

const MINUTE = 60_000;

/** A subscription as the service makes them: `types` does not learn from samples. */
const WEBHOOK = { id: "wh_8841", url: "https://receiver.example/webhooks" };

const refuse: HandlersOption = {
  "*": () => {
    throw new Error("books.example answered 500 Internal Server Error");
  },
};

/**
 * Fills an inbox as the incidents of the page find it: two entries are done, one is dead, one
 * failed, three were never run.
 */
export async function setScene(inbox: string): Promise<void> {
  const receive = async (
    kinds: readonly EventKind[],
    ago: number,
    options: Partial<ReceiverOptions>,
  ) => {
    const clock = () => Date.now() - ago;
    const { log } = keptLog();
    const receiver = createReceiver({
      secret: SECRET,
      inbox,
      log,
      clock,
      ...options,
    } as ReceiverOptions<Record<never, never>>);
    let left = options.role === "receive" ? 0 : kinds.length;
    receiver.observe(({ type }) => {
      if (type === "attempt") left--;
    });
    await receiver.start();
    for (const [index, kind] of kinds.entries()) {
      // two samples of a kind and a millisecond would be duplicates
      const timestamp = clock() + index;
      const event = { ...sampleEvent(kind, { timestamp }), webhook: WEBHOOK };
      const { headers, body } = signedRequest(event, { secret: SECRET });
      await receiver.accept({
        method: "POST",
        target: "/webhooks",
        headers,
        body,
        receivedAt: clock(),
      });
    }
    while (left > 0) await delay(5);
    await receiver.close();
  };
  await receive(["property.created", "tenant.created"], 60 * MINUTE, {
    handlers: { "*": () => {} },
  });
  await receive(["payment.received"], 40 * MINUTE, { handlers: refuse, retry: { attempts: 1 } });
  await receive(["payment.received"], 20 * MINUTE, { handlers: refuse });
  await receive(["payment.received", "payment.received", "lease.expired"], 10 * MINUTE, {
    role: "receive",
  });
}
