/** Words of earlier versions, and what replaces them. */
import type { Output } from "./output.ts";

/** The command line in the words of this version: `events redrive` is an old name of `events retry`. */
export function inCurrentWords(argv: readonly string[], output: Pick<Output, "talk">): readonly string[] {
  const [group, command, ...rest] = argv;
  if (group !== "events" || command !== "redrive") return argv;
  output.talk("`events redrive` is an old name: use `events retry`, which also runs waiting entries now");
  return [group, "retry", ...rest];
}
