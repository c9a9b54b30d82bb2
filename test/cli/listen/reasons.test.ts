import { expect, it, vi } from "vitest";
import { runCli } from "../fake-io.ts";
import { folderWith } from "../folder-with.ts";
import { listening, listeningForPeople } from "../open-listen.ts";

const PROBLEM = { field: "data.surface", message: "expected number, got string" };
const LINE = "data.surface: expected number, got string";

/** Handlers that fit no event of the tests. */
const OTHERS = "export default { 'deal.status_changed': () => {} };";

/** A `listen` as people see it, with a handlers module of this code. */
async function withHandlers(code = OTHERS, env: Readonly<Record<string, string>> = {}) {
  const cwd = folderWith({ "handlers.mjs": code });
  return listeningForPeople(["--handlers", "handlers.mjs"], { cwd, env });
}

it("data that does not fit names its field in listen, in events and in records", async () => {
  const cwd = folderWith({ "h.mjs": OTHERS });
  const { trigger, until } = await listening(["--handlers", "h.mjs"], cwd);
  await trigger("property.created", "--set", 'data.surface="wide"');
  const [delivery] = await until("delivery");
  expect(delivery).toMatchObject({ reason: "invalid_data", detail: LINE, problems: [PROBLEM] });
  const list = await runCli(["events", "list"], { cwd });
  expect(list.stdout).toContain(`invalid_data: ${LINE}`);
  const show = await runCli(["events", "show", "1"], { cwd });
  expect(show.stdout).toContain(`problems\n  ${LINE}\n`);
  const asRecord = await runCli(["events", "show", "1", "--json"], { cwd });
  expect(asRecord.records).toMatchObject([{ problems: [PROBLEM] }]);
  const retry = await runCli(["events", "retry", "1"], { cwd });
  expect(retry.stderr).toContain(`#1 (${LINE}) will be dead letters again, unless`);
});

it("no value of data reaches a record, a log line or the list", async () => {
  const canary = "canary-81e5";
  const { cwd, trigger, until, now } = await listening();
  const name = `data.owner.name={"${canary}":"${canary}"}`;
  const set = [`data.surface="${canary}"`, "data.owner.id=7", name];
  await trigger("property.created", ...set.flatMap((text) => ["--set", text]));
  const [delivery] = await until("delivery");
  const fields = ["data.surface", "data.owner.id", "data.owner.name"];
  expect(delivery?.problems).toMatchObject(fields.map((field) => ({ field })));
  expect(now().stderr).not.toContain("data does not fit"); // the live view and the record say it
  const list = await runCli(["events", "list"], { cwd });
  const retry = await runCli(["events", "retry", "1"], { cwd });
  const shown = [now().stdout, now().stderr, list.stdout, retry.stderr].join("\n");
  expect(shown).toContain("data.owner.name");
  expect(shown).not.toContain(canary);
});

it("what is special about a delivery is told though its handler runs at once", async () => {
  const { trigger, shows } = await withHandlers('export default { "*": () => {} };');
  const number = ["--set", "data.amount=1e400", "--set", "data.id=a"];
  await trigger("payment.received", ...number);
  await shows("data.amount: sent 1e400, read as Infinity");
  await shows("fix: let its handler read such numbers with exactNumber");
  await trigger("payment.received", ...number);
  await shows("known content, new timestamp");
  await shows(/payment\.received +handled[\s\S]*payment\.received +handled/);
});

it("forty dead letters of one cause, as they arrive, take at most fifty lines besides", async () => {
  const { trigger, shows, stdout } = await withHandlers();
  await trigger("property.created", "--set", 'data.surface="wide"', "--count", "40");
  await shows("40 dead like this");
  const lines = stdout().split("\n");
  expect(lines.filter((line) => line.includes("the same as #1"))).toHaveLength(39);
  expect(lines.length).toBeLessThanOrEqual(50);
  expect(stdout()).toContain(`${LINE}; fix the cause, then: hookporter events retry --like 1`);
  expect(stdout()).toContain(`${LINE}\n`);
  expect(stdout()).toMatch(/fix: .*hookporter events retry 1$/m);
});

it("a signed request that is refused is explained once, in its row", async () => {
  const { url, now, shows } = await withHandlers();
  const headers = { "x-service-signature": `sha256=${"0".repeat(64)}` };
  const body = new Uint8Array(1_100_000);
  expect((await fetch(url, { method: "POST", headers, body })).status).toBe(413);
  await shows("(too_large)\n");
  await shows("fix: send a smaller one");
  expect(now().stderr).not.toContain("bodyLimit");
});

it("an error of a handler names its type, its line and its causes, and repeats are one line", async () => {
  const code = [
    "export default {",
    '  "payment.received": (event) => event.data.nope.name,',
    '  "lead.created": async () => {',
    '    await fetch("http://127.0.0.1:1/").catch((cause) => { throw new Error("not saved", { cause }); });',
    "  },",
    "};",
  ].join("\n");
  const { cwd, trigger, shows } = await withHandlers(code);
  await trigger("payment.received");
  await trigger("lead.created");
  await shows(/same error, attempt 2, again in [\d.]+ m?s/);
  await shows(
    /TypeError: Cannot read properties of undefined \(reading 'name'\)\n +at \S*handlers\.mjs:2:\d+\n/,
  );
  await shows(/not saved ← fetch failed ← \S/);
  const show = await runCli(["events", "show", "1"], { cwd });
  expect(show.stdout).toContain("TypeError: Cannot read properties of undefined");
  expect(show.stdout).toContain("handlers.mjs:2");
});

it("each row has what is special about it: the secret, several handlers, a field, a path", async () => {
  const env = {
    NEW: "the new secret of good size",
    OLD: "the old secret of good size",
    HOOKPORTER_SECRET_ENV: "NEW,OLD",
  };
  const { url, cwd, trigger, stdout } = await withHandlers(
    `export default (receiver) => {
      receiver.on("lead.created", () => {}, { name: "ledger" });
      receiver.on("lead.created", () => { throw new TypeError("no address"); }, { name: "mail" });
    };`,
    env,
  );
  const row = (word: string) =>
    vi.waitFor(() => {
      const lines = stdout().split("\n");
      const at = lines.findIndex((line) => line.includes(word));
      expect(at, stdout()).toBeGreaterThanOrEqual(0);
      return lines.slice(at, at + 4).map((line) => line.trim());
    }, 10_000);

  await trigger("lead.created");
  const failing = await row("failing");
  expect(failing[1]).toMatch(/^ledger: ok [\d.]+ ms$/);
  expect(failing[2]).toBe("mail: TypeError: no address");
  expect(failing[3]).toMatch(/^at \S*handlers\.mjs:3:\d+$/);
  expect(stdout()).not.toContain("previous secret");

  const old = { ...env, HOOKPORTER_SECRET_ENV: "OLD" };
  await runCli(["trigger", "payment.received", "--url", url], { cwd, env: old });
  expect((await row("previous secret"))[0]).toContain("payment.received");

  await trigger("payment.received", "--count", "2", "--set", "webhook.id=5");
  const [invalid] = await row("like #3");
  expect(invalid).toMatch(/rejected +400 .*webhook\.id .*, like #3 /);

  await fetch(new URL("/other?code=hunter2&x", url), { method: "POST" });
  expect((await row("/other"))[0]).toContain("/other?code=…&…");
  expect(stdout()).not.toContain("hunter2");
});
