import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { tempFolder } from "../cli/fake-io.ts";
import { root } from "../docs/markdown.ts";
import { run } from "../strangers/programs.ts";
import { outageTests } from "./outages.ts";
import { needsPrometheus } from "./prometheus-programs.ts";

const rules = join(root, "docs", "monitoring", "alerts.yml");

it("promtool accepts the rules: each outage fires its own, a fortnight and a rush none", {
  timeout: 240_000,
}, async (context) => {
  needsPrometheus(context, "promtool");
  expect(await run("promtool", ["check", "rules", rules])).toMatchObject({ code: 0 });
  const file = join(tempFolder(), "outages.yml");
  writeFileSync(file, outageTests(rules));
  const tests = await run("promtool", ["test", "rules", file], 60_000);
  expect(tests.stdout + tests.stderr).toContain("SUCCESS");
  expect(tests.code).toBe(0);
});
