// A process that looks at every page of an inbox file and prints what it found: for a large file that takes minutes, in
// which nothing else may stand still.
import { checkFile } from "./check-file.ts";

process.stdout.write(JSON.stringify(checkFile(process.argv[2] ?? "")));
