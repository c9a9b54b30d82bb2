import { spawn } from "node:child_process";
import { once } from "node:events";
import { copyFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it, onTestFinished, vi } from "vitest";
import { tempFolder } from "../cli/fake-io.ts";
import { listening } from "../cli/open-listen.ts";
import { closedPort } from "../relay/tunnel/machine.ts";
import { sendBurst } from "./burst.ts";
import { needsPrometheus } from "./prometheus-programs.ts";

const rules = join(import.meta.dirname, "..", "..", "docs", "monitoring", "alerts.yml");

/** A real Prometheus that scrapes one address five times a second. It ends with the test. */
async function openPrometheus(target: string): Promise<(path: string) => Promise<unknown>> {
  const folder = tempFolder();
  copyFileSync(rules, join(folder, "alerts.yml"));
  const scrape = { job_name: "hookporter", static_configs: [{ targets: [target] }] };
  const pace = { scrape_interval: "200ms", scrape_timeout: "200ms", evaluation_interval: "200ms" };
  const config = { global: pace, rule_files: ["alerts.yml"], scrape_configs: [scrape] };
  writeFileSync(join(folder, "prometheus.yml"), JSON.stringify(config)); // JSON is YAML
  const address = `127.0.0.1:${await closedPort()}`; // Prometheus 2 does not say which one it took
  const child = spawn(
    "prometheus",
    [
      `--config.file=${join(folder, "prometheus.yml")}`,
      `--storage.tsdb.path=${join(folder, "data")}`,
      `--web.listen-address=${address}`,
    ],
    { stdio: "ignore" },
  );
  const ended = once(child, "exit");
  onTestFinished(async () => {
    child.kill("SIGKILL");
    await ended;
  });
  return async (path) => (await fetch(`http://${address}/api/v1/${path}`)).json();
}

it("Prometheus scrapes listen under load, and the alert for dead letters fires", async (context) => {
  needsPrometheus(context, "prometheus");
  const { url, records, cwd } = await listening(["--health-port", "0"]);
  const health = new URL(String(records("ready")[0]?.health));
  const ask = await openPrometheus(health.host);
  const value = async (query: string) => {
    const found = await ask(`query?query=${encodeURIComponent(query)}`);
    return Number(
      (found as { data: { result: { value: [number, string] }[] } }).data.result[0]?.value[1],
    );
  };
  const untilItHolds = <Result>(check: () => Promise<Result>) =>
    vi.waitFor(check, { timeout: 30_000, interval: 100 });
  await untilItHolds(async () => expect(await value("hookporter_ready")).toBe(1));
  // Before the first scrape, there seems to be no process.
  await untilItHolds(async () =>
    expect(await ask("alerts")).toMatchObject({ data: { alerts: [] } }),
  );

  await sendBurst(url, cwd, { good: 300, broken: 1 });
  await untilItHolds(async () => {
    expect(await value("sum(hookporter_events_total)")).toBe(300);
    expect(await value('hookporter_entries{state="dead"}')).toBe(1);
    expect(await value("sum(hookporter_answer_duration_seconds_count)")).toBe(301);
    expect(await value('hookporter_part_up{part="inbox"}')).toBe(1);
  });
  await untilItHolds(async () => {
    expect(await ask("alerts")).toMatchObject({
      data: {
        alerts: [
          { state: "firing", labels: { alertname: "HookporterDeadLetters", severity: "page" } },
        ],
      },
    });
  });
}, 120_000);
