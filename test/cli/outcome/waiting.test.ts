import { describe, expect, it, vi } from "vitest";
import { runCli, startCli } from "../fake-io.ts";
import { folderWith } from "../folder-with.ts";
import { cliIn } from "../inbox-folder.ts";
import { listening, startTarget } from "../open-listen.ts";

const HANDLERS = `export default {
  "payment.received": (event) => event.data.missing.name,
  "lead.*": () => {},
};
`;

/** A running `listen` with a handler that throws, one that works, and no other. */
async function listeningWithHandlers() {
  const cwd = folderWith({ "handlers.mjs": HANDLERS });
  const listen = await listening(["--handlers", "handlers.mjs", "--no-inspect"], cwd);
  const cli = (...argv: string[]) => runCli([...argv, "--json"], { cwd });
  const trigger = (...argv: string[]) => cli("trigger", ...argv, "--url", listen.url, "--wait");
  return { ...listen, cli, trigger };
}

const outcomes = (run: { records: readonly Record<string, unknown>[] }) =>
  run.records.filter(({ type }) => type === "outcome");

describe("`--wait`", () => {
  it("reports what the handler did: handled, or its error with file and line; received without a handler", async () => {
    const { trigger } = await listeningWithHandlers();
    const handled = await trigger("lead.created");
    expect([handled.code, outcomes(handled)]).toMatchObject([
      0,
      [{ seq: 1, state: "handled", error: null }],
    ]);
    const failing = await trigger("payment.received");
    expect(failing.code).toBe(7);
    const [failed] = outcomes(failing);
    expect(failed).toMatchObject({
      seq: 2,
      state: "failing",
      at: expect.stringMatching(/handlers\.mjs:2:53$/),
    });
    expect(failed?.error).toMatch(/^TypeError: /);
    const received = await trigger("tenant.created");
    expect([received.code, outcomes(received)]).toMatchObject([7, [{ seq: 3, state: "received" }]]);
  });

  it("does not wait after a signal", async () => {
    const { url, cwd, records } = await listening(["--forward-to", "9", "--no-inspect"]);
    const many = ["trigger", "lead.created", "--count", "50", "--rate", "10"];
    const run = startCli([...many, "--url", url, "--wait"], { cwd });
    await vi.waitFor(() => expect(records("delivery").length).toBeGreaterThan(1));
    run.signal("SIGINT");
    const { code, stderr } = await run.finished;
    expect([code, stderr]).toEqual([130, expect.stringContaining("--count ")]);
  });

  it("reports each event once, in the order they were sent; a refused delivery has no outcome", async () => {
    const { trigger } = await listeningWithHandlers();
    const run = await trigger("lead.created", "--count", "3", "--duplicate", "2");
    expect(run.code).toBe(0);
    expect(outcomes(run).map(({ seq }) => seq)).toEqual([1, 2, 3]);
    const unsigned = await trigger("lead.created", "--no-signature");
    expect([unsigned.code, outcomes(unsigned)]).toEqual([1, []]);
  });

  it("follows entries that are replayed, and prints a line for people", async () => {
    const { cwd, url, trigger } = await listeningWithHandlers();
    await trigger("payment.received");
    const run = await runCli(["replay", "1", "--wait", "--url", url], { cwd });
    expect(run.code).toBe(7);
    expect(run.stdout).toMatch(
      /failing {3}#2 payment\.received {2}TypeError: .* at \S*handlers\.mjs:2:53/,
    );
  });

  it("says which inbox it looked in if the endpoint keeps its events elsewhere", async () => {
    const { trigger } = await listeningWithHandlers();
    await trigger("lead.created");
    const missing = await trigger("lead.created", "--inbox", "none.db");
    expect(missing.code).toBe(3);
    expect(missing.records.at(-1)).toMatchObject({ code: "inbox_unavailable" });
  });

  it("reports what a target answered, and times out while it is away", async () => {
    let status = 500;
    const target = await startTarget(() => status);
    const { trigger } = await listening(["--forward-to", target, "--no-inspect"]);
    const send = () => trigger("lead.created", "--wait", "--json");
    const refused = await send();
    expect([refused.code, outcomes(refused)]).toMatchObject([7, [{ state: "failing" }]]);
    expect(String(outcomes(refused)[0]?.error)).toContain("answered 500");
    status = 200;
    expect((await send()).code).toBe(0);
    const away = await listening(["--forward-to", "9", "--no-inspect"]);
    const late = await away.trigger("lead.created", "--wait", "--json", "--timeout", "1s");
    expect([late.code, late.records.at(-1)]).toMatchObject([6, { code: "timed_out" }]);
    expect(String(late.records.at(-1)?.message)).toContain("waiting for http://127.0.0.1:9/");
  });
});

describe("`events wait`", () => {
  it("reports the entries after a number in order, each once it is in one of the states", async () => {
    const { cli, trigger } = await listeningWithHandlers();
    await trigger("lead.created");
    await trigger("payment.received");
    await trigger("lead.updated", "--unknown-kind");
    const all = await cli("events", "wait", "--after", "0", "--count", "3");
    expect(outcomes(all).map(({ seq, state }) => [seq, state])).toEqual([
      [1, "handled"],
      [2, "failing"],
      [3, "handled"],
    ]);
    expect(all.code).toBe(7);
    const leads = await cli("events", "wait", "--after", "1", "--kind", "lead.*");
    expect([leads.code, outcomes(leads).map(({ seq }) => seq)]).toEqual([0, [3]]);
  });

  it("waits for what is not there yet, and says how to go on after its time", async () => {
    const { cli, trigger } = await listeningWithHandlers();
    await trigger("lead.created");
    const waiting = cli("events", "wait", "--after", "1");
    await trigger("lead.created");
    expect(outcomes(await waiting)).toMatchObject([{ seq: 2, state: "handled" }]);
    const late = await cli("events", "wait", "--after", "1", "--count", "2", "--timeout", "300ms");
    expect([late.code, outcomes(late).length]).toEqual([6, 1]);
    expect(String(late.records.at(-1)?.message)).toContain("--after 2 goes on from here");
  });

  it("says what an entry waits for that a listen without handlers leaves to others", async () => {
    const { cwd, trigger, stop } = await listening(["--no-inspect"]);
    await trigger("lead.created");
    await stop();
    expect((await runCli(["events", "retry", "1"], { cwd })).code).toBe(0);
    const { entries } = await listening(["--no-inspect"], cwd);
    await expect.poll(entries, { timeout: 10_000 }).toMatchObject([{ reason: "no_handler" }]);
    const late = await runCli(["events", "wait", "--after", "0", "--timeout", "300ms"], { cwd });
    expect(late).toMatchObject({ code: 6 });
    expect(late.stderr).toContain("#1 is waiting, no handler for this event");
  });
});

it("`events list --follow` prints new entries until it is stopped", async () => {
  const { cwd, trigger } = await listeningWithHandlers();
  await trigger("lead.created");
  const follow = startCli(["events", "list", "--follow", "--json"], { cwd });
  const seqs = () => follow.now().records.map(({ seq }) => seq);
  await vi.waitFor(() => expect(seqs()).toEqual([1]), 10_000);
  await trigger("lead.created");
  await vi.waitFor(() => expect(seqs()).toEqual([1, 2]), 10_000);
  follow.signal("SIGINT");
  expect((await follow.finished).code).toBe(0);
});

it("what an entry failed with before it was retried is not reported of its latest attempt", async () => {
  const handlers = (body: string) => ({
    "h.mjs": `export default (receiver) => { receiver.on("*", () => { ${body} }, { attempts: 1 }); };`,
  });
  const cwd = folderWith(handlers('throw new TypeError("not mended yet");'));
  const { trigger, said } = await listening(["--handlers", "h.mjs", "--no-inspect"], cwd);
  const cli = cliIn(cwd);
  const wait = async (state: string) =>
    outcomes(await cli(`events wait --after 0 --state ${state} --json`))[0];
  await trigger("lead.created");
  expect(await wait("dead")).toMatchObject({ error: "TypeError: not mended yet", attempts: 1 });
  folderWith(handlers(""), cwd);
  await said("handlers reloaded");
  await cli("events retry 1");
  expect(await wait("handled")).toMatchObject({ error: null, at: null, runs: [{ outcome: "ok" }] });
});

it("an event whose time was refused has the fix that the inspector names", async () => {
  const { url, cli } = await listeningWithHandlers();
  await cli("trigger", "lead.created", "--stale", "8d", "--url", url);
  const [outcome] = outcomes(await cli("events", "wait", "--after", "0"));
  expect(outcome).toMatchObject({ state: "dead", reason: "too_old" });
  expect(outcome?.fix).toBe(
    "Retry it to accept it anyway, or send it again as new, with the current time.",
  );
});
