#!/usr/bin/env node
import { writeSync } from "node:fs";
import { tooOld } from "../src/base/package/node-version.ts";

// The entry point, as a CommonJS file, since loading Node's ES module loader alone takes a quarter
// of Node's start-up time. It also runs on a Node that is too old for the rest, and says so.
const problem = tooOld(process.versions.node);
if (problem !== undefined) {
  writeSync(2, `error: ${problem}\n`);
  process.exitCode = 3;
} else {
  void import("./bin.js" as string);
}
