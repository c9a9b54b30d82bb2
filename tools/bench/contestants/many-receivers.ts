import { rmSync } from "node:fs";
import { createServer } from "node:http";
import type { Receiver } from "../../../src/entries/index.ts";
import { nodeReceiver } from "../../../src/entries/node.ts";
import { type Contestant, onLoopback, type Running, type StartOptions } from "./contestant.ts";
import { waiting } from "./hookporter.ts";

/** Receivers of one process, which get its deliveries in turn. */
const RECEIVERS = 20;

/** As many senders as receivers, all in one inbox file. */
export const onOneFile: Contestant = {
  dialect: "service",
  start: (options) => many(options, () => options.inbox),
};

/** The same, with a file for each receiver. */
export const onOwnFiles: Contestant = {
  dialect: "service",
  start: (options) => many(options, (index) => `${options.inbox}-${index}`),
};

async function many(options: StartOptions, fileOf: (index: number) => string): Promise<Running> {
  const receivers: Receiver[] = [];
  for (let index = 0; index < RECEIVERS; index++) {
    receivers.push(await waiting(fileOf(index), { source: `service-${index}` }));
  }
  const handlers = receivers.map((receiver) => nodeReceiver(receiver));
  let turn = 0;
  const running = await onLoopback(
    createServer((request, response) => void handlers[turn++ % RECEIVERS]?.(request, response)),
  );
  const files = new Set(receivers.map((_, index) => fileOf(index)));
  return {
    ...running,
    counts: async () => {
      const perFile = receivers
        .slice(0, files.size)
        .map(async ({ inbox }) => (await inbox.list({ limit: 1 }))[0]?.seq ?? 0);
      return { kept: (await Promise.all(perFile)).reduce((sum, seq) => sum + seq, 0), done: 0 };
    },
    close: async () => {
      await running.close();
      await Promise.all(receivers.map((receiver) => receiver.close()));
      for (const file of files) {
        if (file === options.inbox) continue; // the stage removes it
        for (const suffix of ["", "-wal", "-shm"]) rmSync(`${file}${suffix}`, { force: true });
      }
    },
  };
}
