import { execFile, spawnSync } from "node:child_process";
import { existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { formatDelivery } from "../../../src/relay/fixture.ts";
import { openEndpoint } from "../../receiver/open.ts";
import { SECRET } from "../../receiver/sample.ts";
import { ADAPTERS } from "../../receiver/wire.ts";
import { signed } from "../../signature/diagnose/made.ts";
import { runCli, tempFolder } from "../fake-io.ts";

const env = { HOOKPORTER_SECRET: SECRET };
const hasCurl = ["sh", "curl"].every((name) => spawnSync(name, ["--help"]).error === undefined);

async function endpoint() {
  const cwd = tempFolder();
  const [adapter] = ADAPTERS;
  if (adapter === undefined) throw new Error("expected an adapter, got none");
  const opened = await openEndpoint(adapter, { clock: Date.now });
  const run = (...argv: string[]) =>
    runCli([...argv, "--url", opened.url.href, "--json"], { cwd, env });
  return { ...opened, cwd, run };
}

describe("chaos", () => {
  it.each([
    ["--tamper signature", "signature_mismatch", "signature"],
    ["--tamper body", "signature_mismatch", "body"],
    ["--tamper header", "signature_malformed", "header"],
    ["--no-signature", "signature_missing", "no_signature"],
  ])(
    "%s makes the receiver answer %s to trigger and replay, which exit with 1",
    async (flags, reason, chaos) => {
      const { run, outcomes, cwd } = await endpoint();
      writeFileSync(
        join(cwd, "one.json"),
        '{"event":"lead.created","timestamp":"2026-01-01T00:00:00Z"}',
      );
      for (const what of [
        ["trigger", "lead.created"],
        ["replay", "one.json"],
      ]) {
        const { code, records } = await run(...what, ...flags.split(" "));
        expect(code).toBe(1);
        expect(records).toMatchObject([{ type: "answer", status: 401, chaos }]);
      }
      expect(outcomes()).toMatchObject([{ reason }, { reason }]);
    },
  );

  it.each([
    ["--stale 8d", "too_old"],
    ["--future 1h", "future_timestamp"],
  ])("%s changes the timestamp, with a valid signature", async (flags, reason) => {
    const { run, outcomes } = await endpoint();
    expect((await run("trigger", "lead.created", ...flags.split(" "))).code).toBe(1);
    expect(outcomes()).toMatchObject([{ type: "rejected", rejection: { reason } }]);
  });

  it("--drop drops what it reports, --seed repeats a run, and a random seed is printed", async () => {
    const { run, outcomes } = await endpoint();
    const argv = ["trigger", "lead.created", "--count", "20", "--drop", "40%"];
    const first = await run(...argv);
    const seed = /--seed (\d+)/.exec(first.stderr)?.[1] ?? "";
    const types = (records: readonly Record<string, unknown>[]) => records.map(({ type }) => type);
    const again = await run(...argv, "--seed", seed);
    expect(types(again.records)).toEqual(types(first.records));
    expect(again.stderr).not.toContain("--seed");
    expect(first.code).toBe(0);
    const sent = types([...first.records, ...again.records]).filter((type) => type === "answer");
    expect(outcomes()).toHaveLength(sent.length);
    expect(types(first.records)).toContain("dropped");
  });

  it("--no-signature needs no secret", async () => {
    const { url } = await endpoint();
    const run = await runCli(["trigger", "lead.created", "--no-signature", "--url", url.href]);
    expect(run.code).toBe(1); // 401
  });

  it("replay supports the same schedule flags as trigger", async () => {
    const { run, cwd } = await endpoint();
    const body = Buffer.from("{}");
    const headers = { "x-service-signature": signed(body, SECRET) };
    for (const name of ["a", "b", "c"])
      writeFileSync(
        join(cwd, `${name}.json`),
        formatDelivery({ method: "POST", target: "/", headers, receivedAt: 0, body }),
      );
    const argv = [
      "replay",
      "a.json",
      "b.json",
      "c.json",
      "--exact",
      "--duplicate",
      "2",
      "--shuffle",
      "--seed",
      "4",
    ];
    const labels = (await run(...argv)).records.map(({ label }) => label);
    expect([...labels].sort()).toEqual([
      "a.json",
      "a.json",
      "b.json",
      "b.json",
      "c.json",
      "c.json",
    ]);
    expect((await run(...argv)).records.map(({ label }) => label)).toEqual(labels);
  });

  it.each([
    "trigger lead.created --stale 1h --future 1h",
    "trigger lead.created --tamper body --no-signature",
    "trigger lead.created --drop 10",
    "trigger lead.created --drop 101%",
    "trigger lead.created --tamper all",
    "replay x.json --exact --stale 1h",
    "replay x.json --exact --future 1h",
    "replay x.json --handlers h.js --drop 10%",
    "replay x.json --handlers h.js --dry-run",
  ])("contradicting flags are refused in one line: %s", async (line) => {
    const run = await runCli(line.split(" "), { env });
    expect(run.code).toBe(2);
    expect(run.stderr).toMatch(/^error: .*expected .*\n$/);
  });

  it("a typed flag overrides a contradicting setting", async () => {
    const { url, cwd, outcomes } = await endpoint();
    const settings = { ...env, HOOKPORTER_STALE: "8d", HOOKPORTER_NO_SIGNATURE: "true" };
    await runCli(
      ["trigger", "lead.created", "--future", "1h", "--tamper", "signature", "--url", url.href],
      {
        cwd,
        env: settings,
      },
    );
    expect(outcomes()).toMatchObject([{ reason: "signature_mismatch" }]);
  });

  it("lets settings that contradict each other give way to what is typed", async () => {
    const settings = { ...env, HOOKPORTER_STALE: "8d", HOOKPORTER_FUTURE: "1h" };
    const { code, stderr } = await runCli(["replay", "none.json", "--exact"], { env: settings });
    expect({ code, stderr }).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("no such file"),
    });
  });
});

describe("--dry-run", () => {
  it("sends nothing, and prints a command for each delivery, without the secret", async () => {
    const { run, outcomes, cwd } = await endpoint();
    const { code, records, stdout, stderr } = await run("trigger", "--all", "--dry-run");
    expect(code).toBe(0);
    expect(outcomes()).toEqual([]);
    expect(records).toHaveLength(12);
    expect(stdout + stderr).not.toContain(SECRET);
    const file = join(cwd, String(records[0]?.file));
    expect(statSync(file).mode & 0o077).toBe(0);
    expect(existsSync(join(cwd, ".hookporter", ".gitignore"))).toBe(true);
    expect(JSON.parse(readFileSync(file, "utf8"))).toHaveProperty("webhook");
  });

  it.skipIf(!hasCurl)(
    "prints commands that curl sends to a receiver byte for byte, including tampered ones",
    async () => {
      const { url, cwd, outcomes } = await endpoint();
      const argv = ["--dry-run", "--url", url.href, "HOOKPORTER_BODIES_TO=it's here"];
      const printed = async (...more: string[]) =>
        (await runCli(["trigger", "lead.created", ...argv, ...more], { cwd, env })).stdout;
      const script =
        (await printed("--set", 'data.note=it\'s "é" $(x)')) +
        (await printed("--tamper", "signature"));
      expect(existsSync(join(cwd, ".hookporter"))).toBe(false);
      const { stdout } = await promisify(execFile)("sh", ["-c", script], { cwd });
      expect(stdout).toMatch(/\n200\n[\s\S]*\n401\n$/);
      expect(outcomes()).toMatchObject([{ type: "accepted" }, { reason: "signature_mismatch" }]);
    },
  );
});
