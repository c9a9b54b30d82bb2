// A process that checks every page of an inbox file and prints a report. It runs alone because a large file takes
// minutes, during which the receiver must go on.
import { checkFile } from "./check-file.ts";

process.stdout.write(JSON.stringify(checkFile(process.argv[2] ?? "")));
