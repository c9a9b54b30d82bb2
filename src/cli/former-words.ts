import { usageError } from "./input-errors.ts";
import type { Output } from "./output.ts";

/** Flags that are gone, and what to use instead. */
const FORMER_FLAGS: Readonly<Record<string, string>> = {
  "--burst": "leave it out; --delay 0..1s spreads deliveries out",
  "--confirm": "subscriptions that may not exist are no longer remembered",
  "--forget": "remove the subscription's line from .hookporter/subscriptions.ndjson",
  "--forget-tabs": "remove .hookporter/inspector-tokens before the start",
  "--forward-attempts": "use --give-up attempts=N",
  "--forward-for": "use --give-up time=DURATION",
  "--give-up-on": "use --give-up on=4xx",
  "--once": "use --count 1",
  "--only-key-env": "leave it out; the sandbox takes any key that begins with sk_test_",
  "--plain-http": "use https; in a program, the client's option plainHttp allows HTTP",
  "--remembered": "read .hookporter/subscriptions.ndjson",
  "--reorder": "use --delay 0..1s, after which deliveries arrive in another order",
  "--ssh-port": "use --ssh-host ssh://user@host:port, or ~/.ssh/config",
  "--ssh-user": "use --ssh-host ssh://user@host:port, or ~/.ssh/config",
  "--unordered": "leave it out; in a handlers module, the option unordered of a handler's target does this",
};

/** The command line in the words of this version: `events redrive` is an old name of `events retry`. */
export function inCurrentWords(argv: readonly string[], output: Pick<Output, "talk">): readonly string[] {
  const [group, command, ...rest] = argv;
  if (group !== "events" || command !== "redrive") return argv;
  output.talk("`events redrive` is an old name: use `events retry`, which also runs waiting entries now");
  return [group, "retry", ...rest];
}

/** What to use instead of a flag that is gone, in a sentence; `undefined` if there never was one. */
export function insteadOf(flag: string): string | undefined {
  const instead = Object.hasOwn(FORMER_FLAGS, flag) ? FORMER_FLAGS[flag] : undefined;
  return instead === undefined ? undefined : `${flag} is gone: ${instead}`;
}

/** Refuses the variables of flags that are gone. Throws `usage`. */
export function refuseFormerVariables(env: Readonly<Record<string, string | undefined>>): void {
  for (const flag of Object.keys(FORMER_FLAGS)) {
    const variable = `HOOKPORTER_${flag.slice(2).toUpperCase().replaceAll("-", "_")}`;
    if (env[variable]) throw usageError(`${variable} is set, but ${insteadOf(flag)}`);
  }
}
