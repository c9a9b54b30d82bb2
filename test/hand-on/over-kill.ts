import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished } from "vitest";
import type { Inbox } from "../../src/inbox/inbox.ts";
import { until } from "../receiver/sample.ts";
import { Life } from "./life.ts";

const HANDLERS = join(import.meta.dirname, "children", "to-file.js");
const EVENTS = 60;

/**
 * Kills a process while batches of `handOn` are on their way, and expects the next one to hand on
 * each event, once more what was under way.
 *
 * @param folder - for files that the processes share
 * @param open - opens the inbox here too
 */
export async function expectHandedOnOverKill(
  inbox: string,
  folder: string,
  open: () => Promise<Inbox>,
): Promise<void> {
  const [file, hangs] = ["handed-on", "hangs"].map((name) => join(folder, name)) as [
    string,
    string,
  ];
  const env = { HAND_ON_FILE: file, HAND_ON_HANGS: hangs };
  const lines = (): { id: string; attempt: number; hangs: boolean }[] =>
    existsSync(file)
      ? readFileSync(file, "utf8")
          .trim()
          .split("\n")
          .map((line) => JSON.parse(line))
      : [];

  writeFileSync(hangs, "");
  const first = await Life.start(inbox, HANDLERS, env);
  onTestFinished(() => first.kill());
  for (let number = 0; number < EVENTS; number++) first.deliver(number);
  await until(() => expect(first.accepted).toBe(EVENTS));
  await until(() => expect(lines().length).toBeGreaterThan(10));
  await first.kill();
  const underWay = lines().map(({ id }) => id);
  expect(underWay.length).toBeLessThanOrEqual(20); // two batches

  rmSync(hangs);
  const second = await Life.start(inbox, HANDLERS, env);
  onTestFinished(() => second.kill());
  const store = await open();
  await until(async () => expect((await store.counts()).handled).toBe(EVENTS));

  const handedOn = lines().filter((line) => !line.hangs);
  const ids = (await store.list({})).map(({ key }) => key.eventId);
  expect(handedOn.map(({ id }) => id).sort()).toEqual([...ids].sort());
  const again = handedOn.filter(({ id }) => underWay.includes(id));
  expect(again.map(({ attempt }) => attempt)).toEqual(underWay.map(() => 2));
}
