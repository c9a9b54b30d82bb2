import { expect, it } from "vitest";
import type { PostgresSession } from "../../../src/inbox/postgres/session.ts";
import { Store } from "../../../src/inbox/postgres/store.ts";
import { Wake } from "../../../src/inbox/postgres/wake.ts";

it("an inbox that is closed while it connects to listen does not wait for a notification", async () => {
  let connect = () => {};
  const connected = new Promise<void>((resolve) => {
    connect = resolve;
  });
  const asked: string[] = [];
  let ended = 0;
  const session: PostgresSession = {
    query: async (text) => {
      asked.push(text);
      return [];
    },
    transaction: () => Promise.reject(new Error("not used")),
    listen: async () => {
      await connected;
      return { stop: async () => void ended++ };
    },
    close: async () => {},
  };
  const store = new Store(session, { schema: "a", name: "a" });
  const wake = new Wake(
    store,
    session,
    { connected() {}, disconnected() {}, othersBusy() {} },
    undefined,
  );
  wake.start();
  const stopped = wake.stop();
  connect();
  await stopped;
  expect(asked).toEqual([]);
  expect(ended).toBe(1);
});
