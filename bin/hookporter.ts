#!/usr/bin/env node
import { endProcess, processIo } from "../src/cli/process-io.ts";

const argv = process.argv.slice(2);
const io = processIo();
// An agent's client waits for the list of tools, but not for the commands behind them.
if (argv[0] === "mcp" && !io.isTTY.stdin) (await import("../src/cli/mcp/serve.ts")).openTools(io);
const { run } = await import("../src/cli/main.ts");
endProcess(await run(argv, io));
