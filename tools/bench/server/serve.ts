// One contestant in a child process: `node serve.js '<order as JSON>'`, then questions over the
// channel to its parent.
import { channel } from "node:diagnostics_channel";
import { appendFileSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { setTimeout as wait } from "node:timers/promises";
import { CONTESTANTS } from "../contestants/all.ts";
import { CpuProfile } from "./cpu-profile.ts";
import type { Order, Question, Used } from "./messages.ts";
import { nameStatementsEverywhere } from "./name-statements.ts";
import { ThreadUses } from "./threads.ts";

const order = JSON.parse(process.argv[2] ?? "") as Order;
if (order.namesStatements) nameStatementsEverywhere();
const contestant = await CONTESTANTS[order.name]();
const { inbox, ranFile } = order;
/**
 * Milliseconds of a handler whose runs are noted, so that a killed process leaves some half done.
 */
const HANDLER = 20;
const ran =
  ranFile === undefined
    ? () => {}
    : async (index: number) => {
        await wait(HANDLER);
        appendFileSync(ranFile, `${index}\n`);
      };
const running = await contestant.start({ inbox, ran });
const delay = monitorEventLoopDelay({ resolution: 1 });
delay.enable();
const requests = channel("http.server.request.start");
const profile = new CpuProfile();
const threads = new ThreadUses();
let before = process.cpuUsage();
let writtenBefore = writtenBytes();

/** Measures the event loop's delay only under load: before the first request it has no work. */
function countFromHere(): void {
  requests.unsubscribe(countFromHere);
  delay.reset();
}

function used(): Used {
  const { user, system } = process.cpuUsage(before);
  before = process.cpuUsage();
  const lagP99 = delay.percentile(99) / 1e6 - 1; // without its timer's interval of a millisecond
  delay.reset();
  requests.unsubscribe(countFromHere);
  requests.subscribe(countFromHere);
  const written = writtenBytes() - writtenBefore;
  writtenBefore += written;
  return {
    cpu: (user + system) / 1e6,
    system: system / 1e6,
    threads: threads.since(),
    written: Number.isNaN(written) ? undefined : written,
    lagP99: Math.max(0, lagP99),
    rss: process.memoryUsage.rss() / 1e6,
  };
}

async function answer(question: Exclude<Question, "close">): Promise<unknown> {
  if (question === "measure") return used();
  if (question === "counts") return (await running.counts?.()) ?? { kept: 0, done: 0 };
  if (question === "startProfile") await profile.start();
  else writeFileSync(question.writeProfiles, JSON.stringify(await profile.stop()));
  return {};
}

/** Bytes that this process wrote so far; NaN if the system does not count them. */
function writtenBytes(): number {
  if (!existsSync("/proc/self/io")) return Number.NaN;
  return Number(/^wchar: (\d+)/m.exec(readFileSync("/proc/self/io", "latin1"))?.[1]);
}

process.on("message", async (question: Question) => {
  if (question !== "close") {
    process.send?.(await answer(question));
    return;
  }
  await running.close();
  process.disconnect();
  process.exit();
});
process.on("disconnect", () => process.exit());
const { dialect, handles = false } = contestant;
process.send?.({ port: running.port, dialect, handles });
