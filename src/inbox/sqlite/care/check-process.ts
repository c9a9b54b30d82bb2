// A process that checks an inbox file and prints what it finds: every page as one report, or, if
// the second argument is `examine`, what it looks like, a line for each step, or, if it is `disk`,
// the error that the disk reports. It runs alone because a large file takes minutes, during which
// the receiver must go on, and because nothing else can stop SQLite.

import { checkFile } from "./check-file.ts";
import { diskError } from "./disk-error.ts";
import { examineSteps } from "./examine.ts";

const [path = "", mode] = process.argv.slice(2);
if (mode === "examine") {
  for (const found of examineSteps(path, Date.now()))
    process.stdout.write(`${JSON.stringify(found)}\n`);
} else if (mode === "disk") {
  process.stdout.write(diskError(path) ?? "");
} else {
  process.stdout.write(JSON.stringify(checkFile(path)));
}
