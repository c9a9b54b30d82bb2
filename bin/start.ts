#!/usr/bin/env node
import { readFileSync, writeSync } from "node:fs";
import { join } from "node:path";

// Where the command begins, as a CommonJS file: Node's loader of ES modules alone takes a quarter of what Node takes to
// start. What never depends on anything, the version and the help, was written down by the build.
if (!answeredAtOnce(process.argv.slice(2))) void import("./bin.js" as string);

function answeredAtOnce([only = "", ...others]: readonly string[]): boolean {
  if (others.length > 0 || (only !== "--version" && only !== "--help")) return false;
  try {
    const answers = JSON.parse(readFileSync(join(__dirname, "answers.json"), "utf8"));
    writeSync(1, answers[only]);
    return true;
  } catch {
    return false; // such as a pipe that nobody reads: the whole program knows what to do
  }
}
