import { copyFileSync, existsSync, mkdirSync, readdirSync, renameSync, rmSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { expect } from "vitest";
import { runCli } from "../cli/fake-io.ts";
import { logIn, type Place } from "./place.ts";

/** What people and programs do to the file of a running receiver. */
export const HARM: Readonly<Record<string, (path: string) => void>> = {
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
    // the receiver may have made it by now, for what it rescues
    mkdirSync(dirname(path), { recursive: true });
  },
};

/** The same place with its inbox in a folder of its own. */
export function inFolder(place: Place): Place {
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
export function rescuedOf(place: Place): string | undefined {
  return logIn(place)
    .map(({ msg }) => /everything that it held is in (\S+)\. /.exec(msg)?.[1])
    .findLast((path) => path !== undefined);
}

/** Brings a rescued inbox back, as the refusal of the next start and docs/recovery.md advise. */
export async function bringBack(path: string, rescued: string): Promise<void> {
  if (!existsSync(path) && existsSync(`${path}-wal`)) {
    for (const file of [`${path}-wal`, `${path}-shm`]) renameSync(file, `${file}.old`);
    renameSync(rescued, path);
  }
  if (!existsSync(rescued)) return;
  const merged = await runCli(["inbox", "copy", rescued, "--into", path, "--json"]);
  expect(merged.code, merged.stdout).toBe(0);
}
