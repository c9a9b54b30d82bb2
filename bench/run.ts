// `npm run bench`: the short form. `npm run bench -- --long`: the whole. See docs/performance.md.
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { LONG, SECTIONS, SHORT } from "./form.ts";
import { describeMachine } from "./machine.ts";
import { ROOT } from "./places.ts";
import { inboxPlot } from "./report/inbox-plot.ts";
import { latencyPlot } from "./report/latency-plot.ts";
import type { Report } from "./report/report.ts";
import { reportText } from "./report/text.ts";
import { measureAgeing } from "./sections/ageing.ts";
import { measureHandling } from "./sections/handling.ts";
import { measureLoads } from "./sections/loads.ts";
import { measurePending } from "./sections/pending.ts";
import { measureReplay } from "./sections/replay.ts";
import { measureStartUp } from "./sections/start-up.ts";
import { Stage } from "./stage.ts";

const { values } = parseArgs({
  options: {
    long: { type: "boolean", default: false },
    only: { type: "string" },
    out: { type: "string", default: join(ROOT, ".bench") },
    profile: { type: "string" },
  },
});
const wanted = values.only?.split(",") ?? [...SECTIONS];
const unknown = wanted.filter((name) => !SECTIONS.some((section) => section === name));
if (unknown.length > 0)
  throw new Error(`expected --only to name some of ${SECTIONS.join(", ")}, got ${unknown}`);

const out = resolve(values.out);
const form = values.long ? LONG : SHORT;
const start = performance.now();
const tell = (line: string) => {
  process.stderr.write(`${((performance.now() - start) / 1000).toFixed(0).padStart(5)} s  ${line}\n`);
};
const stage = new Stage(join(out, `stage-${process.pid}`), values.profile);
const end = () => rmSync(stage.folder, { recursive: true, force: true });
for (const signal of ["SIGINT", "SIGTERM"] as const) {
  process.on(signal, () => {
    end();
    process.exit(130);
  });
}
try {
  const machine = describeMachine(stage.folder);
  const when = <Result>(name: (typeof SECTIONS)[number], measure: () => Promise<Result>) =>
    wanted.includes(name) ? measure() : Promise.resolve(undefined);
  const report: Report = {
    ...{ form: form.name, at: new Date().toISOString(), machine },
    startUp: await when("start-up", () => measureStartUp(stage, form, tell)),
    loads: await when("loads", () => measureLoads(stage, form.loads, tell)),
    ageing: await when("ageing", () => measureAgeing(stage, form, tell)),
    handling: await when("handling", () => measureHandling(stage, form, tell)),
    pending: await when("pending", () => measurePending(stage, form, tell)),
    replay: await when("replay", () => measureReplay(stage, form, tell)),
  };
  mkdirSync(out, { recursive: true });
  writeFileSync(join(out, "result.json"), `${JSON.stringify(report, undefined, 1)}\n`);
  if (report.ageing !== undefined)
    writeFileSync(join(out, "throughput-by-inbox.svg"), inboxPlot(report.ageing.measured));
  if (report.loads !== undefined) writeFileSync(join(out, "latency-by-load.svg"), latencyPlot(report.loads));
  process.stdout.write(reportText(report));
  tell(`done; all of it in ${join(out, "result.json")}`);
} finally {
  await stage.clear();
  end();
}
