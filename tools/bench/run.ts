// `npm run bench`: the short form. `npm run bench -- --form long`: the long form. See
// docs/performance.md.
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { SectionName } from "./form.ts";
import { describeMachine } from "./machine.ts";
import { readOptions } from "./options.ts";
import { ROOT } from "./places.ts";
import { exitCodeOf } from "./report/goals.ts";
import { growthPlot } from "./report/growth-plot.ts";
import { inboxPlot } from "./report/inbox-plot.ts";
import { latencyPlot } from "./report/latency-plot.ts";
import { type Findings, goOnFrom, type Report } from "./report/report.ts";
import { reportText } from "./report/text.ts";
import { measureAccount } from "./sections/account.ts";
import { measureAgainst } from "./sections/against.ts";
import { measureAgeing } from "./sections/ageing.ts";
import { measureFloods } from "./sections/floods.ts";
import { measureGrowth } from "./sections/growth.ts";
import { measureLoads } from "./sections/loads.ts";
import { measurePeers } from "./sections/peers.ts";
import { measurePending } from "./sections/pending.ts";
import { measurePostgres } from "./sections/postgres.ts";
import { measureProfiles } from "./sections/profile.ts";
import { measureReplay } from "./sections/replay.ts";
import { measureSlowDisk } from "./sections/slow-disk.ts";
import { measureStartUp } from "./sections/start-up.ts";
import { measureFloor } from "./server/measure-floor.ts";
import { askNode } from "./server/server-node.ts";
import { Stage } from "./stage.ts";

const { form, sections, out, add, node, nodeFlags, against, profile } = orEnd(() =>
  readOptions(process.argv.slice(2), ROOT),
);
const serverNode = orEnd(() => askNode(node));
const start = performance.now();
const tell = (line: string) => {
  process.stderr.write(
    `${((performance.now() - start) / 1000).toFixed(0).padStart(5)} s  ${line}\n`,
  );
};
const stage = new Stage({ folder: join(out, `stage-${process.pid}`), node, nodeFlags });
process.on("exit", () => rmSync(stage.folder, { recursive: true, force: true }));
for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => process.exit(130));

/** Errors before the first measurement are printed on one line. */
function orEnd<Result>(begin: () => Result): Result {
  try {
    return begin();
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    process.exit(2);
  }
}

const measure: Readonly<Record<SectionName, () => Promise<Findings>>> = {
  account: async () => ({ account: await measureAccount(stage, form, tell) }),
  "start-up": async () => ({ startUp: await measureStartUp(stage, form, tell) }),
  loads: async () => ({ loads: await measureLoads(stage, form.loads, tell) }),
  "slow-disk": async () => ({ slowDisk: await measureSlowDisk(stage, form, tell) }),
  ageing: async () => ({ ageing: await measureAgeing(stage, form, tell) }),
  pending: async () => ({ pending: await measurePending(stage, form, tell) }),
  growth: async () => ({ growth: await measureGrowth(stage, form, tell) }),
  replay: async () => ({ replay: await measureReplay(stage, form, tell) }),
  floods: async () => ({ floods: await measureFloods(stage, form, tell) }),
  postgres: async () => ({ postgres: await measurePostgres(stage, form, tell) }),
  against: async () => ({ against: await measureAgainst(stage, against ?? ROOT, tell) }),
  peers: async () => ({ peers: await measurePeers(stage, form, { node: serverNode, tell }) }),
};

/** Written after each section, so that a failure does not lose hours of measurements. */
function write(report: Report): void {
  writeFileSync(join(out, "result.json"), `${JSON.stringify(report, undefined, 1)}\n`);
  const { ageing, growth, loads } = report;
  if (ageing !== undefined)
    writeFileSync(join(out, "throughput-by-inbox.svg"), inboxPlot(ageing.measured));
  if (growth !== undefined) writeFileSync(join(out, "growth.svg"), growthPlot(growth));
  if (loads !== undefined) writeFileSync(join(out, "latency-by-load.svg"), latencyPlot(loads));
}

/** An empty report, or with `--add` one with the earlier results. */
function begun(): Report {
  const at = new Date().toISOString();
  const empty: Report = {
    form: form.name,
    at,
    machine: describeMachine({
      ...serverNode,
      version: [serverNode.version, ...nodeFlags].join(" "),
    }),
  };
  const earlier = join(out, "result.json");
  return add && existsSync(earlier)
    ? goOnFrom(JSON.parse(readFileSync(earlier, "utf8")), empty)
    : empty;
}

let report = orEnd(begun);
try {
  // Two builds on one machine are compared without what it can do.
  if (sections.length > 0 && against === undefined)
    report = { ...report, floor: await measureFloor(stage, tell) };
  for (const section of sections) {
    report = { ...report, ...(await measure[section]()) };
    write(report);
  }
  if (profile !== undefined) {
    report = { ...report, profiles: await measureProfiles(stage, form, { folder: profile, tell }) };
    write(report);
  }
  process.stdout.write(reportText(report));
  process.exitCode = exitCodeOf(report);
  tell(`done; the results are in ${join(out, "result.json")}`);
} finally {
  await stage.clear();
}
