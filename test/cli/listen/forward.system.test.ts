import { writeFileSync } from "node:fs";
import { createServer, type ServerResponse } from "node:http";
import { join } from "node:path";
import { expect, it, onTestFinished, vi } from "vitest";
import { openTarget } from "../../relay/sample.ts";
import { runCli, startCli, tempFolder } from "../fake-io.ts";
import { startReceiving } from "../fake-target.ts";
import { listening } from "../open-listen.ts";

const WAIT = { timeout: 10_000, interval: 10 };
const LONG = { timeout: 50_000, interval: 50 };

/** The entries of a folder's inbox, as `events list` prints them. */
async function entries(cwd: string) {
  return (await runCli(["events", "list", "--json"], { cwd })).records;
}

it("an event goes to the targets with a matching pattern, and the rest to the target without one", async () => {
  const rest = await startReceiving();
  const payments = await startReceiving();
  const received = await startReceiving();
  const { url, cwd, records } = await listening([
    "--forward-to",
    `${rest.url}`,
    "--forward-to",
    `payment.*=${payments.url}`,
    "--forward-to",
    `payment.received=${received.url}`,
  ]);
  await runCli(["trigger", "--all", "--url", url], { cwd });
  await vi.waitFor(() => expect(records("attempt")).toHaveLength(12), WAIT);
  expect(records("attempt").every(({ state }) => state === "handled")).toBe(true);
  expect(payments.kinds().sort()).toEqual(["payment.overdue", "payment.received"]);
  expect(received.kinds()).toEqual(["payment.received"]);
  expect(rest.kinds()).toHaveLength(10);
  expect(records("ready")).toMatchObject([
    {
      forward: [
        { pattern: null, url: rest.url },
        { pattern: "payment.*", url: payments.url },
        { pattern: "payment.received", url: received.url },
      ],
      sync: false,
    },
  ]);
});

it("an event without a matching rule is received, and still counts for the goal", async () => {
  const payments = await startReceiving();
  const { url, cwd, finished } = await listening([
    "--forward-to",
    `payment.*=${payments.url}`,
    "--count",
    "2",
  ]);
  await runCli(["trigger", "lead.created", "--url", url], { cwd });
  await runCli(["trigger", "payment.received", "--url", url], { cwd });
  expect((await finished).code).toBe(0);
  expect(await entries(cwd)).toMatchObject([
    { kind: "lead.created", state: "received" },
    { kind: "payment.received", state: "handled" },
  ]);
});

it("an event's own line comes before the line that its target is away", async () => {
  const cwd = tempFolder();
  const argv = ["listen", "--port", "0", "--no-inspect", "--forward-to", "1"];
  const listen = startCli(argv, { cwd });
  const printed = (word: string) =>
    vi.waitFor(() => {
      const lines = listen.now().stdout.split("\n");
      const at = lines.findIndex((line) => line.includes(word));
      expect(at, listen.now().stdout).toBeGreaterThanOrEqual(0);
      return at;
    }, WAIT);
  await vi.waitFor(() => expect(listen.now().stderr).toContain("Try it"), WAIT);
  expect((await runCli(["trigger", "payment.received"], { cwd })).code).toBe(0);
  expect(await printed("payment.received")).toBeLessThan(await printed("is away"));
  listen.signal("SIGINT");
  await listen.finished;
});

it("the number of events that fail alike is that of the end, after another process dropped some", async () => {
  const target = await openTarget((response) => void response.writeHead(500).end());
  const cwd = tempFolder();
  const listen = startCli(
    ["listen", "--port", "0", "--no-inspect", "--forward-to", target.url.href],
    {
      cwd,
    },
  );
  await vi.waitFor(() => expect(listen.now().stderr).toContain("Try it"), LONG);
  await runCli(["trigger", "payment.received", "--count", "4"], { cwd });
  const states = async () => (await entries(cwd)).map(({ state }) => state);
  await vi.waitFor(async () => expect(await states()).toEqual(Array(4).fill("failing")), LONG);
  expect((await runCli(["events", "drop", "1", "3", "4"], { cwd })).code).toBe(0);
  listen.signal("SIGINT");
  const { stdout } = await listen.finished;
  expect(stdout.match(/\d+ failing like this/g)?.at(-1), stdout).toBe("1 failing like this");
});

it("only events with the value of forwardWhere are forwarded; the others end as received", async () => {
  const target = await startReceiving();
  const argv = [
    "--forward-to",
    target.url,
    "HOOKPORTER_FORWARD_WHERE=data.paid=true",
    "--count",
    "3",
  ];
  const { url, cwd, finished } = await listening(argv);
  for (const paid of ["true", "false", "null"])
    await runCli(["trigger", "payment.received", "--set", `data.paid=${paid}`, "--url", url], {
      cwd,
    });
  expect((await finished).code).toBe(0);
  expect(target.kinds()).toHaveLength(1);
  expect(await entries(cwd)).toMatchObject([
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
  const { url, cwd } = first;
  await runCli(["trigger", "payment.received", "--count", "3", "--url", url], { cwd });
  await vi.waitFor(async () => {
    const states = (await entries(cwd)).map(({ state }) => state);
    expect(states).toEqual(["handled", "received", "received"]);
  }, WAIT);
  expect([bad.kinds().length, good.kinds().length]).toEqual([3, 1]);
  expect(first.now().stderr).toContain(
    "1 event was forwarded (maxForwards): later ones are only kept\n",
  );
  await first.stop();
  const next = await listening(["--forward-to", good.url], cwd);
  await vi.waitFor(() => expect(next.records("attempt")).toHaveLength(2), WAIT);
  expect(good.kinds()).toHaveLength(3);
});

it("a target that has taken an event does not get it again while another has not", async () => {
  const good = await startReceiving();
  const bad = await startReceiving(500, 503, 200);
  const { url, cwd, records } = await listening([
    "--forward-to",
    good.url,
    "--forward-to",
    bad.url,
  ]);
  await runCli(["trigger", "lead.created", "--url", url], { cwd });
  await vi.waitFor(
    () => expect(records("attempt").at(-1)).toMatchObject({ state: "handled" }),
    WAIT,
  );
  expect(good.kinds()).toHaveLength(1);
  expect(bad.kinds()).toHaveLength(3);
});

it("the configuration file may contain several targets", async () => {
  const cwd = tempFolder();
  const one = await startReceiving();
  const two = await startReceiving();
  const config = { listen: { forwardTo: [one.url, `payment.*=${two.url}`] } };
  writeFileSync(join(cwd, "hookporter.config.json"), JSON.stringify(config));
  const { url, records } = await listening([], cwd);
  await runCli(["trigger", "payment.received", "--url", url], { cwd });
  await vi.waitFor(() => expect(records("attempt")).toHaveLength(1), WAIT);
  expect([one.kinds(), two.kinds()]).toEqual([[], ["payment.received"]]);
});

it("`events show` prints the target's status and the beginning of its response", async () => {
  const target = await startReceiving(
    { status: 422, body: "amount: \u001b[31mnot a number\nat line 3" },
    200,
  );
  const { url, cwd, records, now } = await listening(["--forward-to", target.url]);
  await runCli(["trigger", "payment.received", "--url", url], { cwd });
  await vi.waitFor(() => expect(records("attempt")).toHaveLength(2), WAIT);
  const { stdout } = await runCli(["events", "show", "1"], { cwd });
  expect(stdout).toContain("422 Unprocessable Entity\n");
  expect(stdout).toContain("at line 3\n");
  expect(stdout).toContain("200 OK\n");
  expect(stdout).not.toContain("\u001b");
  const [shown] = (await runCli(["events", "show", "1", "--json"], { cwd })).records;
  const notes = ["422 Unprocessable Entity\namount: \u001b[31mnot a number\nat line 3", "200 OK"];
  expect(shown?.runs).toMatchObject(notes.map((note) => ({ note })));
  expect(records("attempt").flatMap(({ runs }) => runs)).toMatchObject(
    notes.map((note) => ({ note })),
  );
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
  const { url, cwd, records } = await listening([
    "--forward-to",
    target.url.href,
    "HOOKPORTER_ORDER_BY=data.id",
  ]);
  const trigger = (id: string, step: number) => {
    const set = ["--set", `data.id=${id}`, "--set", `data.step=${step}`];
    return runCli(["trigger", "property.updated", "--url", url, ...set], { cwd });
  };
  for (let step = 1; step < 4; step++) await trigger("prop_1", step);
  await trigger("prop_2", 1);
  await vi.waitFor(() => expect(seen).toEqual(["prop_1 1", "prop_2 1"]), WAIT);
  held[0]?.writeHead(500).end();
  const done = () => records("attempt").filter(({ state }) => state === "handled");
  await vi.waitFor(() => expect(done()).toHaveLength(4), WAIT);
  expect(seen).toEqual(["prop_1 1", "prop_2 1", "prop_1 1", "prop_1 2", "prop_1 3"]);
});

it("listen waits for a target that is not up yet before its goal, even with handlers", async () => {
  const cwd = tempFolder();
  writeFileSync(join(cwd, "h.js"), 'export default { "*": () => {} };');
  const down = await startReceiving();
  await down.close();
  const { url, records, finished } = await listening(
    ["--count", "1", "--timeout", "20s", "--forward-to", down.url, "--handlers", "h.js"],
    cwd,
  );
  await runCli(["trigger", "lead.created", "--url", url], { cwd });
  await vi.waitFor(() => expect(records("attempt").length).toBeGreaterThan(0), WAIT);
  const server = createServer((_, response) => void response.end());
  await new Promise<void>((resolve) =>
    server.listen(Number(new URL(down.url).port), "127.0.0.1", resolve),
  );
  onTestFinished(() => void server.close().closeAllConnections());
  expect((await finished).code).toBe(0);
});

it("listen exits with 1 if the target answered the awaited event with an error", async () => {
  const target = await startReceiving(500);
  const { url, cwd, finished } = await listening(["--count", "1", "--forward-to", target.url]);
  await runCli(["trigger", "lead.created", "--url", url], { cwd });
  expect((await finished).code).toBe(1);
});

it("listen exits with 6 if the target is not up in time", async () => {
  const down = await startReceiving();
  await down.close();
  const { url, cwd, finished } = await listening([
    "--count",
    "1",
    "--timeout",
    "1500ms",
    "--forward-to",
    down.url,
  ]);
  await runCli(["trigger", "lead.created", "--url", url], { cwd });
  expect((await finished).code).toBe(6);
});

it("--sync returns the target's response to the sender", async () => {
  const target = await startReceiving({ status: 409, body: "seen before" }, 200);
  const { url, cwd, records, now } = await listening(["--forward-to", target.url, "--sync"]);
  const run = await runCli(["trigger", "lead.created", "--url", url, "--json"], { cwd });
  expect(run.code).toBe(1);
  expect(run.records).toMatchObject([{ status: 409, body: "seen before" }]);
  expect(now().stderr).toContain("while the sender waits");
  expect(records("ready")).toMatchObject([{ sync: true }]);
  await vi.waitFor(
    () => expect(records("attempt").at(-1)).toMatchObject({ state: "handled" }),
    WAIT,
  );
  expect(target.kinds()).toHaveLength(2);
});

it("--sync answers 504 after forwardTimeout", async () => {
  const target = await startReceiving("never");
  const { url, cwd } = await listening([
    "--forward-to",
    target.url,
    "--sync",
    "HOOKPORTER_FORWARD_TIMEOUT=100ms",
  ]);
  const run = await runCli(["trigger", "lead.created", "--url", url, "--json"], { cwd });
  expect(run.records).toMatchObject([{ status: 504 }]);
  expect(await entries(cwd)).toMatchObject([
    { state: expect.stringMatching(/waiting|failing|running/) },
  ]);
});
