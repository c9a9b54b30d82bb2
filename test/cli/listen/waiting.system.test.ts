import { join } from "node:path";
import { expect, it, vi } from "vitest";
import { DEFAULT_INBOX } from "../../../src/cli/files/state-folder.ts";
import { sqliteInbox } from "../../../src/inbox/sqlite.ts";
import { keep, numberedEntry, sampleKey } from "../../inbox/entries.ts";
import { runCli } from "../fake-io.ts";
import { awayTarget, startReceiving, startReceivingAt } from "../fake-target.ts";
import { listening } from "../open-listen.ts";

const WAIT = { timeout: 20_000, interval: 10 };

type Listening = Awaited<ReturnType<typeof listening>>;

/** Starts an app at an address; returns the numbers of the events that it got, in order. */
async function up(url: string): Promise<() => readonly number[]> {
  const { bodies } = await startReceivingAt(new URL(url).port);
  return () => bodies().map((body) => JSON.parse(body).data.number);
}

/** Triggers events one after another, with rising numbers. */
async function send(count: number, trigger: Listening["trigger"]): Promise<void> {
  for (let number = 1; number <= count; number++)
    expect((await trigger("lead.created", "--set", `data.number=${number}`)).code).toBe(0);
}

const upTo = (count: number) => Array.from({ length: count }, (_, index) => index + 1);

it("events that waited for a target arrive in order of arrival once it is up", async () => {
  const { url: app } = await awayTarget();
  const { trigger, records, until, now } = await listening(["--forward-to", app]);
  await send(40, trigger);
  await until("attempt", [{}]);
  expect(records("attempt").length).toBeLessThan(10);
  const got = await up(app);
  await vi.waitFor(() => expect(got()).toHaveLength(40), WAIT);
  expect(got()).toEqual(upTo(40));
  await until("attempt", Array(40).fill({ state: "handled" }));
  expect(now().stderr).not.toContain("wait for");
});

it("listen says at its start and its stop how many events wait for which target, not counting other sources", async () => {
  const { url: app } = await awayTarget();
  const first = await listening(["--forward-to", app]);
  await send(3, first.trigger);
  await first.until("attempt", [{}]);
  expect(first.records("ready")).toMatchObject([{ waiting: [] }]);
  const inbox = sqliteInbox(join(first.cwd, DEFAULT_INBOX));
  await inbox.open();
  const key = sampleKey({ source: "another" });
  await keep(inbox, numberedEntry(7, 0, { key, orderKey: null }));
  await inbox.close();
  await first.stop();
  const told = `3 events wait for ${app}`;
  await first.said(told);
  expect(first.now().stderr).not.toContain("more wait");
  const waiting = [{ target: app, entries: 3 }];
  expect(first.records("stopped")).toMatchObject([{ waiting }]);
  const got = await up(app);
  const second = await listening(["--forward-to", app], first.cwd);
  await second.said(told);
  expect(second.records("ready")).toMatchObject([{ waiting }]);
  await vi.waitFor(() => expect(got()).toEqual(upTo(3)), WAIT);
  await second.stop();
  expect(second.records("stopped")).toMatchObject([{ waiting: [] }]);
});

it.each([
  ["on=4xx", "refused_for_good", 1],
  ["attempts=2", "attempts_exhausted", 2],
  ["time=300ms,attempts=99", "waited_too_long", undefined],
])(
  "a target that always answers 404 is given up on with giveUp %s",
  async (limits, reason, attempts) => {
    const target = await startReceiving(404);
    const argv = ["--forward-to", target.url, `HOOKPORTER_GIVE_UP=${limits}`];
    const { trigger, until } = await listening(argv);
    await send(1, trigger);
    await until("attempt", [{ state: "dead", reason }]);
    const { length } = target.got;
    if (attempts !== undefined) expect(length).toBe(attempts);
    await new Promise((resolve) => setTimeout(resolve, 2500)); // longer than between probes
    expect(target.got).toHaveLength(length);
  },
);

it.each([
  ["skip", 2],
  ["block", 0],
])(
  "orderBy goes on after an event that was given up on as deadLetters says (%s)",
  async (choice, later) => {
    const target = await startReceiving(404, 200);
    const { cwd, trigger, records } = await listening([
      "--forward-to",
      target.url,
      "HOOKPORTER_GIVE_UP=on=4xx",
      "HOOKPORTER_ORDER_BY=data.address",
      `HOOKPORTER_DEAD_LETTERS=${choice}`,
    ]);
    await send(3, trigger);
    await vi.waitFor(() => expect(records("attempt")[0]).toMatchObject({ state: "dead" }), WAIT);
    if (later > 0) await vi.waitFor(() => expect(target.got).toHaveLength(1 + later), WAIT);
    else expect(target.got).toHaveLength(1);
    await runCli(["events", "drop", "1"], { cwd });
    await vi.waitFor(() => expect(target.got).toHaveLength(3), WAIT);
  },
);
