#!/usr/bin/env node
import { run } from "../src/cli/main.ts";
import { endProcess, processIo } from "../src/cli/process-io.ts";

endProcess(await run(process.argv.slice(2), processIo()));
