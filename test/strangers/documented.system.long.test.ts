import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { codeOf, quoted, readPage, root, withoutCode } from "../docs/markdown.ts";
import { acknowledgedIn, booksLine, drained, readBooks } from "./books.ts";
import { BIN } from "./commands.ts";
import { answersIn, handledIn, newPlace, type Place } from "./place.ts";
import { needs, query, run } from "./programs.ts";
import { faultsOfCopy } from "./readers.ts";
import { ReceiverProcess } from "./receiver-process.ts";
import { SenderProcess } from "./sender-process.ts";

const page = readPage("docs/reference/inbox-file.md");
const [, restore = ""] = page.split(/^## Restore$/m);
const restoring = codeOf(restore, "sh");
const onLiveInbox = codeOf(page, "sh").filter((code) => !restoring.includes(code));

it("The commands on the inbox file's page work on a live inbox, without disturbing the receiver", {
  timeout: 120_000,
}, async (context) => {
  needs(context, "the sqlite3 shell");
  const { place, receiver, sender } = await startUnderLoad();
  const log = statSync(`${place.inbox}-wal`).ino;
  expect(onLiveInbox.length).toBeGreaterThan(4);
  const known = new Map<string, readonly string[]>();
  for (const code of onLiveInbox) {
    const before = acknowledgedIn(answersIn(place));
    expect(await runAsWritten(place, code)).toMatchObject({ code: 0 });
    for (const copy of databasesIn(place)) if (!known.has(copy)) known.set(copy, before);
    expect(statSync(`${place.inbox}-wal`, { throwIfNoEntry: false })?.ino).toBe(log);
  }
  const allAnswered = await sender.stop();
  await drained(place);
  const exitCode = await receiver.stop();
  const books = readBooks(place);
  process.stdout.write(`strangers, as documented: ${booksLine(books)}\n`);
  expect(books).toMatchObject({ lost: 0, unhandled: 0, unfinished: 0, refused: 0 });
  expect({ allAnswered, exitCode }).toEqual({ allAnswered: true, exitCode: 0 });
  expect([...known.keys()].sort()).toEqual(["backup.db", "copy.db"]);
  for (const [copy, ids] of known) {
    const file = join(place.folder, copy);
    expect([copy, statSync(file).mode & 0o777]).toEqual([copy, 0o600]);
    expect([copy, await faultsOfCopy(file, ids)]).toEqual([copy, []]);
  }

  // The restored backup: due entries run again, and new events are accepted.
  expect(restoring).toHaveLength(1);
  expect(await runAsWritten(place, restoring[0] ?? "")).toMatchObject({ code: 0 });
  const backedUp = Number(await query(place.inbox, "SELECT count(*) FROM entry"));
  const restored = new ReceiverProcess(place, { options: { lease: 1000 } });
  const again = new SenderProcess(place, { ports: [await restored.ready] });
  await untilAnswered(place, answersIn(place).length + 100);
  expect(await again.stop()).toBe(true);
  await drained(place);
  expect(await restored.stop()).toBe(0);
  expect(backedUp).toBeGreaterThanOrEqual(known.get("backup.db")?.length ?? Infinity);
  expect(
    Number(await query(place.inbox, "SELECT count(*) FROM entry WHERE state = 'handled'")),
  ).toBeGreaterThanOrEqual(backedUp + 100);
  expect(acknowledgedIn(answersIn(place)).filter((id) => !handledIn(place).has(id))).toEqual([]);
});

it("Every sqlite3 command in the documentation is one that a test runs", () => {
  const pages = [
    "README.md",
    "SECURITY.md",
    "CONTRIBUTING.md",
    ...pagesIn("docs"),
    ...pagesIn("templates"),
  ];
  const commands = pages.flatMap((path) => {
    const text = readPage(path);
    const inCode =
      text.match(/^ *```[\s\S]*?^ *```$/gm)?.flatMap((block) => block.split("\n")) ?? [];
    return [...inCode, ...quoted(withoutCode(text))].filter((line) =>
      /^sqlite3 \S/.test(line.trim()),
    );
  });
  expect(commands).not.toEqual([]);
  const tested = new Set(onLiveInbox.flatMap((code) => code.split("\n")));
  expect([...new Set(commands)].filter((command) => !tested.has(command))).toEqual([]);
});

async function startUnderLoad() {
  const place = newPlace();
  const receiver = new ReceiverProcess(place);
  const sender = new SenderProcess(place, { ports: [await receiver.ready] });
  await receiver.threaded;
  await untilAnswered(place, 200);
  return { place, receiver, sender };
}

async function untilAnswered(place: Place, count: number): Promise<void> {
  while (answersIn(place).length < count) await new Promise((resolve) => setTimeout(resolve, 20));
}

/**
 * Runs a command in the inbox's folder, with this checkout instead of the package that npx would
 * find.
 */
function runAsWritten({ folder }: Place, code: string) {
  const own = `${process.execPath} ${BIN}`;
  return run("sh", ["-euc", `cd "$0"\n${code.replaceAll("npx hookporter", own)}`, folder]);
}

/** The copies of the inbox in its folder. */
function databasesIn({ folder }: Place): readonly string[] {
  return readdirSync(folder).filter((name) => name.endsWith(".db") && name !== "inbox.db");
}

function pagesIn(folder: string): readonly string[] {
  return readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".md") && !name.includes("node_modules"))
    .map((name) => join(folder, name));
}
