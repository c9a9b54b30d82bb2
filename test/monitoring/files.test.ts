import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Registry } from "prom-client";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { Readiness } from "../../src/cli/ready/readiness.ts";
import { collectForServing } from "../../src/cli/ready/serve-metrics.ts";
import { collectMetrics } from "../../src/entries/metrics.ts";
import { handleOf } from "../../src/inbox/shared/handle.ts";
import { sqliteInbox } from "../../src/inbox/sqlite.ts";
import { tempFolder } from "../cli/fake-io.ts";
import { readPage, root } from "../docs/markdown.ts";
import { postTo } from "../observe/posting.ts";
import { openReceiver } from "../receiver/open.ts";
import { freshEnvelope, inboxFile } from "../receiver/sample.ts";
import { run } from "../strangers/programs.ts";
import { ALERT_RULES, rulesFile, rulesTable } from "./alert-rules.ts";
import { needsPrometheus } from "./prometheus-programs.ts";

const folder = join(import.meta.dirname, "..", "..", "docs", "monitoring");
const rules = join(folder, "alerts.yml");
const page = readPage("docs/metrics.md");

interface Rule {
  readonly alert: string;
  readonly expr: string;
  readonly labels: { readonly severity: string };
}
interface Panel {
  readonly title: string;
  readonly targets?: readonly { readonly expr: string }[];
}

const alerts: readonly Rule[] = parse(readFileSync(rules, "utf8")).groups[0].rules;
const panels: readonly Panel[] = JSON.parse(
  readFileSync(join(folder, "dashboard.json"), "utf8"),
).panels;
const shown = panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr));

/** What `listen` serves. */
async function served(): Promise<string> {
  const { receiver } = await openReceiver({ inbox: handleOf(sqliteInbox(inboxFile())) });
  await postTo(receiver)(freshEnvelope());
  const metrics = collectForServing(receiver, new Readiness());
  const text = await metrics.read();
  metrics.close();
  return text;
}

describe("the dashboard and the alert rules", () => {
  it("use only metrics that listen serves", async () => {
    const text = await served();
    const known = new Set([...text.matchAll(/^# TYPE (\S+)/gm)].map(([, name]) => name));
    const used = [...shown, ...alerts.map(({ expr }) => expr)].flatMap((expr) =>
      [...expr.matchAll(/\b(?:hookporter|process|nodejs)_[a-z0-9_]+/g)].map(([name]) =>
        name.replace(/_bucket$/, ""),
      ),
    );
    expect(used.length).toBeGreaterThan(30);
    expect(used.filter((name) => !known.has(name))).toEqual([]);
  });

  it("are made from one table, as the table of the page; `-u` writes them", async () => {
    await expect(rulesFile()).toMatchFileSnapshot(rules);
    const table = /\| alert \|.*?(?=\n\n)/s;
    expect(page).toMatch(table);
    await expect(page.replace(table, () => rulesTable())).toMatchFileSnapshot(
      join(root, "docs", "metrics.md"),
    );
  });

  it("name a section of the operations page each, and every type that watchAlerts reports", () => {
    const headings = [...readPage("docs/operations.md").matchAll(/^#+ (.+)$/gm)].map(
      ([, heading]) => heading,
    );
    expect(ALERT_RULES.filter(({ runbook }) => !headings.includes(runbook))).toEqual([]);
    const types = ALERT_RULES.flatMap(({ type }) => type ?? []);
    const told = readFileSync(join(root, "src", "observe", "watch-alerts.ts"), "utf8");
    const tells = [...told.matchAll(/\{ type: "(\w+)"/g)].map(([, type]) => type);
    expect(tells.toSorted()).toEqual(types.toSorted());
  });

  it("have panels whose expressions promtool accepts", async (context) => {
    needsPrometheus(context, "promtool");
    const file = join(tempFolder(), "panels.yml");
    const recorded = shown.map((expr, index) => ({
      record: `panel:${index}`,
      expr: expr.replaceAll("$__rate_interval", "1m").replaceAll("$", ""),
    }));
    writeFileSync(file, JSON.stringify({ groups: [{ name: "panels", rules: recorded }] }));
    const checked = await run("promtool", ["check", "rules", file]);
    expect(checked.stdout + checked.stderr).toContain(`SUCCESS: ${shown.length} rules found`);
  });
});

it("promtool finds no fault in the names of the metrics", async (context) => {
  needsPrometheus(context, "promtool");
  const { receiver } = await openReceiver({ inbox: handleOf(sqliteInbox(inboxFile())) });
  const registry = new Registry();
  collectMetrics(receiver, { registry });
  await postTo(receiver)(freshEnvelope());
  const file = join(tempFolder(), "metrics.txt");
  writeFileSync(file, await registry.metrics());
  const checked = await run("sh", ["-c", 'promtool check metrics < "$0"', file]);
  expect(checked).toEqual({ code: 0, stdout: "", stderr: "" });
});
