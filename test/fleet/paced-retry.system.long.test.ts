import { join } from "node:path";
import { expect, it, onTestFinished, vi } from "vitest";
import { createReceiver } from "../../src/entries/index.ts";
import { sqliteInbox } from "../../src/inbox/sqlite.ts";
import { runCli, tempFolder } from "../cli/fake-io.ts";
import { sampleKey } from "../inbox/entries.ts";
import { long } from "../long.ts";
import { keptLog, SECRET } from "../receiver/sample.ts";

const MANY = long(1000, 5000);
const HALF = MANY / 2;
/** Milliseconds between two entries at 50 a second. */
const APART = 20;
const WAIT = { timeout: 240_000, interval: 200 };

it("thousands of dead letters run in order at 50 a second, stop where the target falls over again, and lose nothing", {
  timeout: 500_000,
}, async () => {
  const cwd = tempFolder();
  const inbox = sqliteInbox(join(cwd, "a.db"));
  await inbox.open();
  onTestFinished(() => inbox.close());
  const numbers = Array.from({ length: MANY }, (_, n) => n);
  await Promise.all(
    numbers.map((n) => {
      const body = Buffer.from(
        JSON.stringify({
          event: "payment.received",
          timestamp: "2024-01-15T12:00:00Z",
          data: { n },
          webhook: { id: "wh_1", url: "https://example.com" },
        }),
      );
      return inbox.append({
        key: sampleKey({ eventId: `evt_${n}` }),
        kind: "payment.received",
        eventTimestamp: 0,
        state: "waiting",
        reason: null,
        orderKey: String(n % 100),
        delivery: { method: "POST", target: "/", headers: {}, body, receivedAt: Date.now() },
      });
    }),
  );
  await inbox.drop({}, Date.now());
  const run = async (...argv: string[]) => {
    const ran = await runCli(["events", ...argv, "--inbox", "a.db"], { cwd });
    expect(ran.code).toBe(0);
    return ran.stdout;
  };

  expect(await run("retry", "--dropped", "--rate", "50/s")).toContain(
    `${MANY} entries, #1 to #${MANY}`,
  );
  const due = (await inbox.list({ states: ["waiting", "failing"] })).map(({ runAt }) => runAt);
  expect(due.map((at) => at - (due[0] ?? 0))).toEqual(numbers.map((n) => n * APART));

  const handled: number[] = [];
  const begun: number[] = [];
  let isMended = false;
  const { log, lines } = keptLog();
  const receiver = createReceiver({ secret: SECRET, inbox: join(cwd, "a.db"), log });
  receiver.on("payment.received", (event) => {
    if (handled.length >= HALF && !isMended) throw new Error("down again");
    begun.push(Date.now());
    handled.push((event.data as { n: number }).n);
  });
  onTestFinished(() => receiver.close());
  await receiver.start();

  await vi.waitFor(
    async () =>
      expect(await run("pause")).toMatch(
        new RegExp(
          String.raw`^retry 1 is paused, stopped at #\d+: 6 of the latest 10 failed: \d+ of ${MANY} left\n$`,
        ),
      ),
    WAIT,
  );
  const [, where = 0] = /#(\d+)/.exec(await run("pause")) ?? [];
  // few ran before the pause, and some waited for their key
  expect(Math.abs(Number(where) - HALF)).toBeLessThan(100);
  expect(lines).toContainEqual(
    expect.objectContaining({ level: "error", fields: expect.objectContaining({ retry: 1 }) }),
  );
  expect(handled).toHaveLength(HALF);
  const early = begun.filter((at, index) => at < (due[handled[index] ?? 0] ?? 0));
  expect(early).toEqual([]);
  expect(await inbox.list({})).toHaveLength(MANY);

  isMended = true;
  await run("resume", "--retry", "1");
  await vi.waitFor(
    async () => expect(await inbox.counts()).toMatchObject({ handled: MANY, dead: 0, waiting: 0 }),
    WAIT,
  );
  expect(handled.toSorted((a, b) => a - b)).toEqual(numbers);
  for (let key = 0; key < 100; key++) {
    const ofKey = handled.filter((n) => n % 100 === key);
    expect(ofKey).toEqual(ofKey.toSorted((a, b) => a - b));
  }
});
