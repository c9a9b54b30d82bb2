// One contestant in a process of its own: `node serve.js '<order as JSON>'`, then questions over the channel to its parent.
import { monitorEventLoopDelay } from "node:perf_hooks";
import { CONTESTANTS } from "../contestants/all.ts";
import type { Order, Question, Used } from "./messages.ts";

const order = JSON.parse(process.argv[2] ?? "") as Order;
const contestant = await CONTESTANTS[order.name]();
const running = await contestant.start(order);
const delay = monitorEventLoopDelay({ resolution: 1 });
delay.enable();
let before = process.cpuUsage();

function used(): Used {
  const { user, system } = process.cpuUsage(before);
  before = process.cpuUsage();
  const lagP99 = delay.percentile(99) / 1e6 - 1; // its timer is due after a millisecond anyway
  delay.reset();
  return { cpu: (user + system) / 1e6, lagP99: Math.max(0, lagP99), rss: process.memoryUsage.rss() / 1e6 };
}

process.on("message", async (question: Question) => {
  if (question === "measure") process.send?.(used());
  else if (question === "counts") process.send?.((await running.counts?.()) ?? { kept: 0, done: 0 });
  else {
    await running.close();
    process.disconnect();
    process.exit();
  }
});
process.on("disconnect", () => process.exit());
process.send?.({ port: running.port, dialect: contestant.dialect });
