import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it, vi } from "vitest";
import { openTarget } from "../../relay/sample.ts";
import { runCli, startCli, tempFolder } from "../fake-io.ts";
import { startReceiving } from "../fake-target.ts";

const env = { HOOKPORTER_SECRET: "a secret that is long enough" };
const ENVELOPE = {
  event: "payment.received",
  timestamp: "2026-01-01T00:00:00Z",
  data: { id: "pay_1" },
  webhook: { id: "wh_1", url: "u" },
};

/** A folder with saved envelopes and a module of handlers. */
function folderOf(
  envelopes: Readonly<Record<string, object>>,
  handlers = "export default { 'deal.status_changed': () => {} };",
) {
  const cwd = tempFolder();
  for (const [name, envelope] of Object.entries(envelopes))
    writeFileSync(join(cwd, name), JSON.stringify(envelope));
  writeFileSync(join(cwd, "h.mjs"), handlers);
  return cwd;
}

it.each(["--shuffle", "HOOKPORTER_DELAY=0..1ms", "--drop 100%", "--tamper body"])(
  "%s leaves something to chance, so the seed is printed; --rate does not",
  async (flags) => {
    const target = await startReceiving();
    const argv = ["trigger", "lead.created", "--url", target.url];
    const run = await runCli([...argv, ...flags.split(" ")], { cwd: tempFolder(), env });
    expect(run.stderr).toMatch(/^seed: (\d+) \(--seed \1 repeats this run\)$/m);
    const sure = await runCli([...argv, "--rate", "1000"], { cwd: tempFolder(), env });
    expect(sure.stderr).not.toContain("seed");
  },
);

it("each delivery that is dropped is a line", async () => {
  const target = await startReceiving();
  const argv = ["trigger", "lead.created", "--count", "2", "--drop", "100%", "--url", target.url];
  const run = await runCli(argv, { cwd: tempFolder(), env });
  expect(run.stdout).toBe("dropped lead.created\ndropped lead.created\n");
  expect(run.stderr).toContain("0 sent, 0 answered 2xx, 2 dropped\n");
});

it("why there is no answer is said once, while it is the same", async () => {
  const away = await startReceiving();
  await away.close();
  const argv = [
    "trigger",
    "lead.created",
    "--count",
    "3",
    "HOOKPORTER_MAX_FAILURES=3",
    "--url",
    away.url,
  ];
  const run = await runCli(argv, { cwd: tempFolder(), env });
  const lines = run.stdout.trim().split("\n");
  expect(lines[0]).toMatch(/^no answer lead\.created {2}.*connection refused/);
  expect(lines.slice(1)).toEqual([
    "no answer lead.created  as above",
    "no answer lead.created  as above",
  ]);
});

it("what was refused is explained once in a row, and not if it was tampered with", async () => {
  const target = await openTarget((response) => void response.writeHead(401).end("no"));
  const argv = ["trigger", "lead.created", "--count", "2", "--url", String(target.url)];
  const run = await runCli(argv, { cwd: tempFolder(), env });
  expect(run.stdout.match(/^ {4}\S/gm)).toHaveLength(1);
  expect(run.stdout.match(/^401 lead\.created [\d.]+ ms {2}no$/gm)).toHaveLength(2);
  const tampered = await runCli([...argv, "--no-signature"], { cwd: tempFolder(), env });
  expect(tampered.stdout).not.toMatch(/^ {4}\S/m);
  expect(tampered.stdout).toMatch(/^401 lead\.created \(no signature\)/m);
});

it("replay --handlers prints what became of each file", async () => {
  const cwd = folderOf(
    {
      "1.json": ENVELOPE,
      "2.json": { ...ENVELOPE, event: "lead.created" },
      "3.json": { ...ENVELOPE, event: "lease.signed" },
      "4.json": { ...ENVELOPE, webhook: { id: "x" } },
    },
    'export default { "payment.received": () => {}, "lead.created": () => { throw new Error("no") } };',
  );
  const files = ["1.json", "2.json", "3.json", "4.json"];
  const run = await runCli(["replay", ...files, "--handlers", "h.mjs"], { cwd });
  const lines = run.stdout.trim().split("\n");
  expect(lines[0]).toBe("handled 1.json");
  expect(lines[1]).toMatch(/^failed 2\.json {2}lead\.created: .*no/);
  expect(lines[2]).toBe("received 3.json  no handler for this kind");
  expect(lines[3]).toMatch(/^failed 4\.json {2}invalid_envelope: .*webhook/);
  expect(run.stderr).toContain("4 replayed, 2 failed\n");
  expect(run.code).toBe(1);
});

it("replay --handlers that is interrupted records how far it came", async () => {
  const cwd = folderOf(
    { "1.json": ENVELOPE, "2.json": { ...ENVELOPE, timestamp: "2026-01-01T00:00:01Z" } },
    'export default { "*": async () => { console.log("runs"); await new Promise((r) => setTimeout(r, 300)); } };',
  );
  const run = startCli(["replay", "1.json", "2.json", "--handlers", "h.mjs", "--json"], { cwd });
  await vi.waitFor(() => expect(run.now().stderr).toContain("runs"), 10_000);
  run.signal("SIGINT");
  const { code, records } = await run.finished;
  expect(code).toBe(130);
  expect(records.at(-1)).toMatchObject({
    type: "interrupted",
    reason: "stopped by SIGINT",
    exitCode: 130,
    total: 2,
    sent: 1,
    ok: 1,
    new: null,
    duplicates: null,
  });
});
