import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, onTestFinished } from "vitest";
import { diagnose, openPlace, type Place, runFix } from "./place.ts";

setFlagsFromString("--expose-gc");
const collectGarbage: () => void = runInNewContext("gc");

/** A fault that is planted in a setup in which nothing else is wrong. */
export interface Fault {
  /** What is wrong, as the end of a sentence. */
  readonly title: string;
  /** Plants it; what it returns removes it, if the fix is not a command. */
  readonly plant: (place: Place) => unknown;
  /** The only finding that is not `ok`. */
  readonly found: {
    readonly check: string;
    readonly status: "warn" | "fail";
    readonly message: RegExp;
  };
  readonly fix: RegExp;
  /** Does what the fix says. Default: runs it, letter for letter. */
  readonly follow?: (place: Place, fix: string) => unknown;
}

/**
 * Plants a fault, sees that doctor finds it alone and changes nothing, follows the fix, and sees
 * that nothing is wrong.
 */
export async function plantAndFix(fault: Fault, open = openPlace): Promise<void> {
  const place = await open();
  const remove = await fault.plant(place);
  const end = once(remove);
  onTestFinished(end);
  // on Node 20, a file is open until the statements on it are collected, and doctor would see it
  // close
  collectGarbage();
  const before = contentOf(place.cwd);
  const found = await diagnose(place);
  expect(found.wrong).toEqual([
    {
      schemaVersion: 1,
      type: "finding",
      time: expect.any(String),
      ...fault.found,
      message: expect.stringMatching(fault.found.message),
      fix: expect.stringMatching(fault.fix),
    },
  ]);
  expect(found.code).toBe(fault.found.status === "fail" ? 1 : 0);
  expect(contentOf(place.cwd)).toEqual(before);
  const fix = found.wrong[0]?.fix ?? "";
  if (fault.follow !== undefined) await fault.follow(place, fix);
  else if (typeof remove === "function") end();
  else runFix(place, fix);
  const { findings, wrong } = await diagnose(place);
  expect(wrong).toEqual([]);
  expect(findings.map(({ check }) => check)).toContain(fault.found.check);
}

/** A function that calls another one only once, if it is one. */
function once(given: unknown): () => void {
  let left = [given].filter((one) => typeof one === "function");
  return () => {
    const calls = left;
    left = [];
    for (const call of calls) call();
  };
}

/** Every file of a folder with its bytes, but for those that SQLite keeps in memory as it reads. */
function contentOf(folder: string): Readonly<Record<string, string>> {
  const names = readdirSync(folder, { recursive: true, encoding: "utf8" });
  const files = names.filter(
    (name) => !name.endsWith("-shm") && statSync(join(folder, name)).isFile(),
  );
  return Object.fromEntries(
    files.sort().map((name) => [name, readFileSync(join(folder, name), "base64")]),
  );
}
