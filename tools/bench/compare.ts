// Compares runs on several Nodes: `node compare.js <result.json>…` prints one table.
// `tools/bench.js` calls it.
import { readFileSync } from "node:fs";
import { compareText } from "./report/compare-text.ts";

const reports = process.argv.slice(2).map((path) => JSON.parse(readFileSync(path, "utf8")));
process.stdout.write(`${compareText(reports)}\n`);
