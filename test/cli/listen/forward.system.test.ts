import { writeFileSync } from "node:fs";
import type { ServerResponse } from "node:http";
import { join } from "node:path";
import { expect, it, vi } from "vitest";
import { openTarget } from "../../relay/sample.ts";
import { runCli, tempFolder } from "../fake-io.ts";
import { awayTarget, startReceiving, startReceivingAt } from "../fake-target.ts";
import { folderWith } from "../folder-with.ts";
import { listening, listeningForPeople } from "../open-listen.ts";

const WAIT = { timeout: 50_000, interval: 10 };

it("an event goes to the targets with a matching pattern, and the rest to the target without one", async () => {
  const cwd = tempFolder();
  const rest = await startReceiving();
  const payments = await startReceiving();
  const received = await startReceiving();
  const forwardTo = [rest.url, `payment.*=${payments.url}`, `payment.received=${received.url}`];
  const config = JSON.stringify({ listen: { forwardTo } });
  writeFileSync(join(cwd, "hookporter.config.json"), config);
  const { trigger, until, records } = await listening([], cwd);
  await trigger("--all");
  await until("attempt", Array(12).fill({ state: "handled" }));
  expect(payments.kinds().sort()).toEqual(["payment.overdue", "payment.received"]);
  expect(received.kinds()).toEqual(["payment.received"]);
  expect(rest.kinds()).toHaveLength(10);
  const forward = [
    { pattern: null, url: rest.url },
    { pattern: "payment.*", url: payments.url },
    { pattern: "payment.received", url: received.url },
  ];
  expect(records("ready")).toMatchObject([{ forward, sync: false }]);
});

it("an event's own line comes before the line that its target is away", async () => {
  const argv = ["--no-inspect", "--forward-to", "1"];
  const { trigger, shows, stdout } = await listeningForPeople(argv);
  expect((await trigger("payment.received")).code).toBe(0);
  await shows("is away");
  expect(stdout().indexOf("payment.received")).toBeGreaterThanOrEqual(0);
  expect(stdout().indexOf("payment.received")).toBeLessThan(stdout().indexOf("is away"));
});

it("the number of events that fail alike is that of the end, after another process dropped some", async () => {
  const target = await startReceiving(500);
  const argv = ["--no-inspect", "--forward-to", target.url];
  const { trigger, cwd, signal, finished } = await listeningForPeople(argv);
  await trigger("payment.received", "--count", "4");
  await vi.waitFor(async () => {
    const { records } = await runCli(["events", "list", "--json"], { cwd });
    expect(records).toMatchObject(Array(4).fill({ state: "failing" }));
  }, WAIT);
  expect((await runCli(["events", "drop", "1", "3", "4"], { cwd })).code).toBe(0);
  signal("SIGINT");
  const { stdout } = await finished;
  expect(stdout.match(/\d+ failing like this/g)?.at(-1), stdout).toBe("1 failing like this");
});

it("only events with the value of forwardWhere are forwarded; the others end as received", async () => {
  const target = await startReceiving();
  const argv = ["--forward-to", target.url, "--count", "3"];
  const { finished, trigger, entries } = await listening([
    ...argv,
    "HOOKPORTER_FORWARD_WHERE=data.paid=true",
  ]);
  for (const paid of ["true", "false", "null"])
    await trigger("payment.received", "--set", `data.paid=${paid}`);
  expect((await finished).code).toBe(0);
  expect(target.kinds()).toHaveLength(1);
  expect(await entries()).toMatchObject([
    { state: "handled", reason: null },
    { state: "received", reason: "no_handler" },
    { state: "received", reason: "no_handler" },
  ]);
});

it("maxForwards counts an event once, however often it is tried; the next listen forwards the rest", async () => {
  const bad = await startReceiving(500, 500, 200);
  const good = await startReceiving();
  const targets = ["--forward-to", bad.url, "--forward-to", good.url];
  const first = await listening([...targets, "HOOKPORTER_MAX_FORWARDS=1"]);
  await first.trigger("payment.received", "--count", "3");
  await vi.waitFor(async () => {
    const states = (await first.entries()).map(({ state }) => state);
    expect(states).toEqual(["handled", "received", "received"]);
  }, WAIT);
  // one that has taken an event does not get it again while another has not
  expect([bad.kinds().length, good.kinds().length]).toEqual([3, 1]);
  await first.said("1 event was forwarded (maxForwards): later ones are only kept\n");
  await first.stop();
  const next = await listening(["--forward-to", good.url], first.cwd);
  await next.until("attempt", 2);
  expect(good.kinds()).toHaveLength(3);
});

it("`events show` prints the target's status and the beginning of its response", async () => {
  const body = "amount: \u001b[31mnot a number\nat line 3";
  const target = await startReceiving({ status: 422, body }, 200);
  const { cwd, trigger, until, now } = await listening(["--forward-to", target.url]);
  await trigger("payment.received");
  const attempts = await until("attempt", 2);
  const { stdout } = await runCli(["events", "show", "1"], { cwd });
  for (const text of ["422 Unprocessable Entity\n", "at line 3\n", "200 OK\n"])
    expect(stdout).toContain(text);
  expect(stdout).not.toContain("\u001b");
  const [shown] = (await runCli(["events", "show", "1", "--json"], { cwd })).records;
  const notes = [{ note: `422 Unprocessable Entity\n${body}` }, { note: "200 OK" }];
  const startedAt = expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/);
  const runs = notes.map((note) => ({ ...note, startedAt }));
  for (const all of [shown?.runs, attempts.flatMap(({ runs }) => runs)])
    expect(all).toMatchObject(runs);
  expect(now().stderr).not.toContain("not a number");
});

it("orderBy keeps the order of a key while its first event waits for the target; other events pass", async () => {
  const held: ServerResponse[] = [];
  const seen: string[] = [];
  const target = await openTarget((response, { body }) => {
    const { id, step } = JSON.parse(body.toString("utf8")).data;
    seen.push(`${id} ${step}`);
    if (seen.length === 1) held.push(response);
    else response.end();
  });
  const argv = ["--forward-to", target.url.href, "HOOKPORTER_ORDER_BY=data.id"];
  const { trigger, records } = await listening(argv);
  for (const [id, step] of [
    ["prop_1", 1],
    ["prop_1", 2],
    ["prop_1", 3],
    ["prop_2", 1],
  ])
    await trigger("property.updated", "--set", `data.id=${id}`, "--set", `data.step=${step}`);
  await vi.waitFor(() => expect(seen).toEqual(["prop_1 1", "prop_2 1"]), WAIT);
  held[0]?.writeHead(500).end();
  const done = () => records("attempt").filter(({ state }) => state === "handled");
  await vi.waitFor(() => expect(done()).toHaveLength(4), WAIT);
  expect(seen).toEqual(["prop_1 1", "prop_2 1", "prop_1 1", "prop_1 2", "prop_1 3"]);
});

it("listen waits for a target that is not up yet before its goal, even with handlers, and exits with 6 after its time", async () => {
  const cwd = folderWith({ "h.js": 'export default { "*": () => {} };' });
  const down = await awayTarget();
  const goal = ["--count", "1", "--forward-to", down.url];
  const late = await listening([...goal, "--timeout", "1500ms"]);
  await late.trigger("lead.created");
  expect((await late.finished).code).toBe(6);
  const { trigger, until, finished } = await listening(
    [...goal, "--timeout", "20s", "--handlers", "h.js"],
    cwd,
  );
  await trigger("lead.created");
  await until("attempt", [{}]);
  await startReceivingAt(new URL(down.url).port);
  expect((await finished).code).toBe(0);
});

it("--sync returns the target's response to the sender, or 504 after forwardTimeout", async () => {
  const target = await startReceiving({ status: 409, body: "seen before" }, 200);
  const { trigger, until, records, now } = await listening(["--forward-to", target.url, "--sync"]);
  const run = await trigger("lead.created", "--json");
  expect(run.code).toBe(1);
  expect(run.records).toMatchObject([{ status: 409, body: "seen before" }]);
  expect(now().stderr).toContain("while the sender waits");
  expect(records("ready")).toMatchObject([{ sync: true }]);
  await until("attempt", [{ state: "handled" }]);
  expect(target.kinds()).toHaveLength(2);
  const never = await startReceiving("never");
  const argv = ["--forward-to", never.url, "--sync", "HOOKPORTER_FORWARD_TIMEOUT=100ms"];
  const slow = await listening(argv);
  expect((await slow.trigger("lead.created", "--json")).records).toMatchObject([{ status: 504 }]);
  expect((await slow.entries())[0]?.state).toMatch(/waiting|failing|running/);
});
