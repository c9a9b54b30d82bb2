#!/usr/bin/env node
import { readFileSync, writeSync } from "node:fs";
import { join } from "node:path";
import { tooOld } from "../src/package/node-version.ts";

// The entry point, as a CommonJS file, since loading Node's ES module loader alone takes a quarter of Node's start-up time.
// It also runs on a Node that is too old for the rest, and says so. The build has written down the version and the help, which
// never change.
const problem = tooOld(process.versions.node);
if (problem !== undefined) {
  writeSync(2, `error: ${problem}\n`);
  process.exitCode = 3;
} else if (!answeredAtOnce(process.argv.slice(2))) void import("./bin.js" as string);

function answeredAtOnce([only = "", ...others]: readonly string[]): boolean {
  if (others.length > 0 || (only !== "--version" && only !== "--help")) return false;
  try {
    const answers = JSON.parse(readFileSync(join(__dirname, "answers.json"), "utf8"));
    writeSync(1, answers[only]);
    return true;
  } catch {
    return false; // for example a closed pipe; the program itself handles it
  }
}
