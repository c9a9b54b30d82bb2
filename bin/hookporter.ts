#!/usr/bin/env node
import { endProcess, processIo } from "../src/cli/process-io.ts";

const argv = process.argv.slice(2);
let io = processIo();
if (/^mcp(?: --allow[ =][a-z,]+)*$/.test(argv.join(" ")) && !io.isTTY.stdin)
  io = await (await import("../src/cli/mcp/first-answers.ts")).answerFirst(io);
const { run } = await import("../src/cli/main.ts");
endProcess(await run(argv, io));
