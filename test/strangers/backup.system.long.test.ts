import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { copyFileSync, existsSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, it, onTestFinished } from "vitest";
import { long } from "../long.ts";
import { acknowledgedIn } from "./books.ts";
import { BIN } from "./commands.ts";
import { answersIn, newPlace, type Place } from "./place.ts";
import { needs } from "./programs.ts";
import { faultsOfCopy } from "./readers.ts";
import { ReceiverProcess } from "./receiver-process.ts";
import { SenderProcess } from "./sender-process.ts";

/** A running `events backup`, and what it must contain: the events acknowledged before it began. */
function backUp(place: Place, name: string) {
  const acknowledged = acknowledgedIn(answersIn(place));
  const file = join(place.folder, name);
  const argv = [BIN, "events", "backup", file, "--inbox", place.inbox];
  const child: ChildProcess = spawn(process.execPath, argv, { stdio: "ignore" });
  onTestFinished(() => void child.kill("SIGKILL"));
  const exited = once(child, "exit").then(() => child.exitCode);
  return { child, file, acknowledged, exited };
}

it("A backup under load contains all that was acknowledged before, whoever is killed meanwhile", {
  timeout: long(120_000, 1_500_000),
}, async (context) => {
  needs(context, "the sqlite3 shell");
  const place = newPlace();
  let receiver = new ReceiverProcess(place);
  let sender = new SenderProcess(place, { ports: [await receiver.ready] });
  await receiver.threaded;
  const count = { whole: 0, killed: 0 };
  const check = async ({ file, acknowledged }: ReturnType<typeof backUp>) => {
    expect([file, await faultsOfCopy(file, acknowledged)]).toEqual([file, []]);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    count.whole++;
  };
  for (let round = 0; round < long(2, 40); round++) {
    await grown(place, 100);
    // The backup is killed at some moment of its life: then there is a whole file, or none.
    const ended = backUp(place, `ended-${round}.db`);
    await sleep(100 + Math.random() * 900);
    ended.child.kill("SIGKILL");
    await ended.exited;
    if (existsSync(ended.file)) await check(ended);
    else count.killed++;
    // The receiver is killed meanwhile.
    const whole = backUp(place, `whole-${round}.db`);
    await sleep(Math.random() * 300);
    await receiver.kill();
    expect(await whole.exited).toBe(0);
    await check(whole);
    await sender.stop();
    receiver = new ReceiverProcess(place, { options: { lease: 1000 } });
    sender = new SenderProcess(place, { ports: [await receiver.ready] });
  }
  await grown(place, 100);
  const last = backUp(place, "last.db");
  expect(await last.exited).toBe(0);
  await check(last);
  await sender.stop();
  await receiver.stop();
  process.stdout.write(
    `strangers, backups: ${count.whole} whole, ${count.killed} killed before they were\n`,
  );

  // A receiver goes on with a backup, whose leases are those of a process that it does not know.
  const restored = { ...place, inbox: join(place.folder, "restored.db") };
  copyFileSync(last.file, restored.inbox);
  const before = answersIn(place).length;
  const again = new ReceiverProcess(restored);
  const more = new SenderProcess(restored, { ports: [await again.ready] });
  await grown(place, 100);
  expect(await more.stop()).toBe(true);
  expect(await again.stop()).toBe(0);
  const known = [...last.acknowledged, ...acknowledgedIn(answersIn(place).slice(before))];
  expect(await faultsOfCopy(restored.inbox, known)).toEqual([]);
  const strays = readdirSync(place.folder).filter((name) => name.startsWith("last.db-"));
  expect(strays).toEqual([]);
});

/** Waits for more answers. */
async function grown(place: Place, by: number): Promise<void> {
  const target = answersIn(place).length + by;
  while (answersIn(place).length < target) await sleep(10);
}
