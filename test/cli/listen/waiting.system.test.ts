import { createServer } from "node:http";
import { join } from "node:path";
import { expect, it, onTestFinished, vi } from "vitest";
import { DEFAULT_INBOX } from "../../../src/cli/files/state-folder.ts";
import { sqliteInbox } from "../../../src/inbox/sqlite.ts";
import { keep, numberedEntry, sampleKey } from "../../inbox/entries.ts";
import { runCli } from "../fake-io.ts";
import { startReceiving } from "../fake-target.ts";
import { listening } from "../open-listen.ts";

const WAIT = { timeout: 20_000, interval: 10 };

/** The address of a target that is down. */
async function down(): Promise<string> {
  const target = await startReceiving();
  await target.close();
  return target.url;
}

/** Starts an app at an address; returns the numbers of the events that it gets, in order. */
async function up(url: string): Promise<readonly number[]> {
  const got: number[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    got.push(JSON.parse(Buffer.concat(chunks).toString("utf8")).data.number);
    response.end();
  });
  await new Promise<void>((resolve) =>
    server.listen(Number(new URL(url).port), "127.0.0.1", resolve),
  );
  onTestFinished(() => void server.close().closeAllConnections());
  return got;
}

/** Triggers events one after another, with rising numbers. */
async function send(count: number, url: string, cwd: string, from = 1): Promise<void> {
  for (let number = from; number < from + count; number++) {
    const sent = await runCli(
      ["trigger", "lead.created", "--set", `data.number=${number}`, "--url", url],
      {
        cwd,
      },
    );
    expect(sent.code).toBe(0);
  }
}

const upTo = (count: number) => Array.from({ length: count }, (_, index) => index + 1);

it("events that waited for a target arrive in order of arrival once it is up", async () => {
  const app = await down();
  const { url, cwd, records, now } = await listening(["--forward-to", app]);
  await send(40, url, cwd);
  await vi.waitFor(() => expect(records("attempt").length).toBeGreaterThan(0), WAIT);
  expect(records("attempt").length).toBeLessThan(10);
  const got = await up(app);
  await vi.waitFor(() => expect(got).toHaveLength(40), WAIT);
  expect(got).toEqual(upTo(40));
  await vi.waitFor(
    () => expect(records("attempt").filter(({ state }) => state === "handled")).toHaveLength(40),
    WAIT,
  );
  expect(now().stderr).not.toContain("wait for");
});

it("listen says at its start and its stop how many events wait for which target", async () => {
  const app = await down();
  const first = await listening(["--forward-to", app]);
  await send(3, first.url, first.cwd);
  await vi.waitFor(() => expect(first.records("attempt").length).toBeGreaterThan(0), WAIT);
  expect(first.records("ready")).toMatchObject([{ waiting: [] }]);
  await first.stop();
  const told = `3 events wait for ${app}`;
  expect(first.now().stderr).toContain(told);
  expect(first.records("stopped")).toMatchObject([{ waiting: [{ target: app, entries: 3 }] }]);
  const got = await up(app);
  const second = await listening(["--forward-to", app], first.cwd);
  expect(second.now().stderr).toContain(told);
  expect(second.records("ready")).toMatchObject([{ waiting: [{ target: app, entries: 3 }] }]);
  await vi.waitFor(() => expect(got).toEqual(upTo(3)), WAIT);
  await second.stop();
  expect(second.records("stopped")).toMatchObject([{ waiting: [] }]);
});

it("events that waited go to the target of the next listen, wherever that is", async () => {
  const first = await listening(["--forward-to", await down()]);
  await send(3, first.url, first.cwd);
  await vi.waitFor(() => expect(first.records("attempt").length).toBeGreaterThan(0), WAIT);
  await first.stop();
  const app = await startReceiving();
  await listening(["--forward-to", app.url], first.cwd);
  await vi.waitFor(() => expect(app.kinds()).toHaveLength(3), WAIT);
});

it.each([
  ["on=4xx", "refused_for_good", 1],
  ["attempts=2", "attempts_exhausted", 2],
  ["time=300ms,attempts=99", "waited_too_long", undefined],
])(
  "a target that always answers 404 is given up on with giveUp %s",
  async (limits, reason, attempts) => {
    const target = await startReceiving(404);
    const { url, cwd, records } = await listening([
      "--forward-to",
      target.url,
      `HOOKPORTER_GIVE_UP=${limits}`,
    ]);
    await send(1, url, cwd);
    await vi.waitFor(
      () => expect(records("attempt").at(-1)).toMatchObject({ state: "dead", reason }),
      WAIT,
    );
    const { length } = target.got;
    if (attempts !== undefined) expect(length).toBe(attempts);
    // longer than the time between probes
    await new Promise((resolve) => setTimeout(resolve, 2500));
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
    const { url, cwd, records } = await listening([
      "--forward-to",
      target.url,
      "HOOKPORTER_GIVE_UP=on=4xx",
      "HOOKPORTER_ORDER_BY=data.address",
      `HOOKPORTER_DEAD_LETTERS=${choice}`,
    ]);
    await send(3, url, cwd);
    await vi.waitFor(() => expect(records("attempt")[0]).toMatchObject({ state: "dead" }), WAIT);
    if (later > 0) await vi.waitFor(() => expect(target.got).toHaveLength(1 + later), WAIT);
    else expect(target.got).toHaveLength(1);
    await runCli(["events", "drop", "1"], { cwd });
    await vi.waitFor(() => expect(target.got).toHaveLength(3), WAIT);
  },
);

it("entries of other sources are not counted among those that wait here", async () => {
  const app = await down();
  const { url, cwd, records, stop, now } = await listening(["--forward-to", app]);
  await send(1, url, cwd);
  await vi.waitFor(() => expect(records("attempt").length).toBeGreaterThan(0), WAIT);
  const inbox = sqliteInbox(join(cwd, DEFAULT_INBOX));
  await inbox.open();
  const key = sampleKey({ source: "another" });
  await keep(inbox, numberedEntry(7, 0, { key, orderKey: null }));
  await inbox.close();
  await stop();
  expect(now().stderr).toContain(`1 event waits for ${app}`);
  expect(now().stderr).not.toContain("more wait");
});
