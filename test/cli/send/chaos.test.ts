import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { formatDelivery } from "../../../src/relay/fixture.ts";
import { openEndpoint } from "../../receiver/open.ts";
import { SECRET } from "../../receiver/sample.ts";
import { ADAPTERS } from "../../receiver/wire.ts";
import { signed } from "../../signature/diagnose/made.ts";
import { runCli, tempFolder } from "../fake-io.ts";

const env = { HOOKPORTER_SECRET: SECRET };

async function endpoint() {
  const cwd = tempFolder();
  const [adapter] = ADAPTERS;
  if (adapter === undefined) throw new Error("expected an adapter, got none");
  const opened = await openEndpoint(adapter, { clock: Date.now });
  const run = (...argv: string[]) => runCli([...argv, "--url", opened.url.href, "--json"], { cwd, env });
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
      writeFileSync(join(cwd, "one.json"), '{"event":"lead.created","timestamp":"2026-01-01T00:00:00Z"}');
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

  it("--seed repeats a run, and a random seed is printed", async () => {
    const { run } = await endpoint();
    const argv = ["trigger", "lead.created", "--count", "5", "--shuffle"];
    const first = await run(...argv);
    const seed = /--seed (\d+)/.exec(first.stderr)?.[1] ?? "";
    const labels = (records: readonly Record<string, unknown>[]) => records.map(({ label }) => label);
    const again = await run(...argv, "--seed", seed);
    expect(labels(again.records)).toEqual(labels(first.records));
    expect(again.stderr).not.toContain("--seed");
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
    expect([...labels].sort()).toEqual(["a.json", "a.json", "b.json", "b.json", "c.json", "c.json"]);
    expect((await run(...argv)).records.map(({ label }) => label)).toEqual(labels);
  });

  it.each([
    "trigger lead.created --stale 1h --future 1h",
    "trigger lead.created --tamper body --no-signature",
    "trigger lead.created --tamper all",
    "replay x.json --exact --stale 1h",
    "replay x.json --exact --future 1h",
    "replay x.json --handlers h.js --shuffle",
  ])("contradicting flags are refused in one line: %s", async (line) => {
    const run = await runCli(line.split(" "), { env });
    expect(run.code).toBe(2);
    expect(run.stderr).toMatch(/^error: .*expected .*\n$/);
  });

  it("a typed flag overrides a contradicting setting", async () => {
    const { url, cwd, outcomes } = await endpoint();
    const settings = { ...env, HOOKPORTER_STALE: "8d", HOOKPORTER_NO_SIGNATURE: "true" };
    await runCli(["trigger", "lead.created", "--future", "1h", "--tamper", "signature", "--url", url.href], {
      cwd,
      env: settings,
    });
    expect(outcomes()).toMatchObject([{ reason: "signature_mismatch" }]);
  });

  it("lets settings that contradict each other give way to what is typed", async () => {
    const settings = { ...env, HOOKPORTER_STALE: "8d", HOOKPORTER_FUTURE: "1h" };
    const { code, stderr } = await runCli(["replay", "none.json", "--exact"], { env: settings });
    expect({ code, stderr }).toMatchObject({ code: 2, stderr: expect.stringContaining("no such file") });
  });
});
