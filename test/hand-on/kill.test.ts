import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { sqliteInbox } from "../../src/inbox/sqlite.ts";
import { inboxFile, until } from "../receiver/sample.ts";
import { Life } from "./life.ts";

const HANDLERS = join(import.meta.dirname, "children", "to-file.js");
const EVENTS = 60;

it("handOn loses nothing if the process is killed while batches are on their way", async () => {
  const inbox = inboxFile();
  const [file, hangs] = ["handed-on", "hangs"].map((name) => join(dirname(inbox), name)) as [string, string];
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
  const store = sqliteInbox(inbox);
  await store.open();
  onTestFinished(() => store.close());
  await until(async () => expect((await store.counts()).done).toBe(EVENTS));

  const handedOn = lines().filter((line) => !line.hangs);
  const ids = (await store.list({})).map(({ key }) => key.eventId);
  expect(handedOn.map(({ id }) => id).sort()).toEqual([...ids].sort());
  const again = handedOn.filter(({ id }) => underWay.includes(id));
  expect(again.map(({ attempt }) => attempt)).toEqual(underWay.map(() => 2));
});
