import { copyFileSync, existsSync, mkdirSync, readdirSync, renameSync, rmSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { expect, it } from "vitest";
import { runCli } from "../cli/fake-io.ts";
import { freePort } from "../crash/child.ts";
import { acknowledgedIn, booksLine, drained, readBooks } from "./books.ts";
import { answersIn, logIn, newPlace, type Place } from "./place.ts";
import { ReceiverProcess } from "./receiver-process.ts";
import { SenderProcess } from "./sender-process.ts";

/** What people and programs do to the file of a running receiver. */
const HARM: Readonly<Record<string, (path: string) => void>> = {
  "rm inbox.db*": (path) => {
    for (const file of filesOf(path)) rmSync(file);
  },
  "rm inbox.db": (path) => rmSync(path),
  "mv inbox.db": (path) => renameSync(path, `${path}.away`),
  "cp and mv": (path) => {
    copyFileSync(path, `${path}.copy`);
    renameSync(`${path}.copy`, path);
  },
  "mv of its folder": (path) => renameSync(dirname(path), `${dirname(path)}-away`),
  "a new folder in the place of its own": (path) => {
    renameSync(dirname(path), `${dirname(path)}-away`);
    mkdirSync(dirname(path));
  },
};

const ENDS = ["stop", "kill"] as const;

it.each(Object.keys(HARM).flatMap((harm) => ENDS.map((end) => [harm, end] as const)))(
  "After %s under load and a %s, everything acknowledged is found again, and handled",
  { timeout: 120_000 },
  async (harm, end) => {
    const place = inFolder(newPlace());
    const port = await freePort();
    const first = new ReceiverProcess(place, { port });
    await first.ready;
    const sender = new SenderProcess(place, { ports: [port], connections: 16 });
    await until(() => acknowledgedIn(answersIn(place)).length > 300);
    HARM[harm]?.(place.inbox);
    const at = Date.now();
    await until(() => rescuedOf(place) !== undefined);
    const rescued = rescuedOf(place) ?? "";
    expect(statSync(rescued).mode & 0o777).toBe(0o600);
    expect(await first.isReady()).toBe(false);
    await first[end]();
    expect(answersIn(place).filter(({ status, began }) => status === 200 && began > at + 50)).toEqual([]);

    bringBack(place.inbox, rescued);
    if (existsSync(rescued)) {
      const merged = await runCli(["inbox", "copy", rescued, "--into", place.inbox, "--json"]);
      expect(merged.code, merged.stdout).toBe(0);
    }
    const second = new ReceiverProcess(place, { port });
    await second.ready;
    expect(await sender.stop()).toBe(true);
    await drained(place);
    expect(await second.stop()).toBe(0);
    const books = readBooks(place);
    process.stdout.write(`strangers, ${harm}, ${end}: ${booksLine(books)}\n`);
    expect(books).toMatchObject({ lost: 0, unhandled: 0, unfinished: 0 });
  },
);

/** The same place with its inbox in a folder of its own. */
function inFolder(place: Place): Place {
  const folder = join(place.folder, "own");
  mkdirSync(folder);
  return { ...place, inbox: join(folder, "inbox.db") };
}

/** The inbox file, and those beside it. */
function filesOf(path: string): readonly string[] {
  const names = readdirSync(dirname(path)).filter((name) => name.startsWith(basename(path)));
  return names.map((name) => join(dirname(path), name));
}

/** The file that the receiver's log says everything is in. */
function rescuedOf(place: Place): string | undefined {
  return logIn(place)
    .map(({ msg }) => /everything that it held is in (\S+)\. /.exec(msg)?.[1])
    .findLast((path) => path !== undefined);
}

/** Does what the refusal of the next start advises, if there is a log without its file. */
function bringBack(path: string, rescued: string): void {
  if (existsSync(path) || !existsSync(`${path}-wal`)) return;
  for (const file of [`${path}-wal`, `${path}-shm`]) renameSync(file, `${file}.old`);
  renameSync(rescued, path);
}

async function until(holds: () => boolean): Promise<void> {
  await expect.poll(holds, { timeout: 20_000, interval: 50 }).toBe(true);
}
