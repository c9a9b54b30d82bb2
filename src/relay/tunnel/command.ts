import { isMissing, openProgramTunnel, type ProgramEnd, type Said } from "./program.ts";
import {
  type FailureTable,
  failureOf,
  type TunnelFailure,
  type TunnelProvider,
  type TunnelTarget,
} from "./provider.ts";
import { readPublicUrl } from "./public-url.ts";

/** Settings for any program that prints the address of the tunnel it opens. */
export interface CommandSettings {
  /**
   * The program and its arguments, run without a shell; `{target}` (a URL), `{host}` and `{port}`
   * are replaced.
   */
  readonly command: readonly string[];
  /**
   * A regular expression that finds the address in a line of output: its first group if it has one,
   * else the match.
   */
  readonly urlPattern: string;
  /** The scheme of a match without one. Default `https`. */
  readonly scheme?: "http" | "https";
  /** Seconds until the program must have printed an address. Default 30. */
  readonly addressTimeout?: number;
}

/** Every code of the command provider. A test compares them with `docs/reference/tunnel.md`. */
export const COMMAND_CODES = {
  command_missing: {
    message: "the program could not be started",
    fix: "install it and check that it is in PATH, or pass its path in --tunnel-command",
    permanent: true,
  },
  command_ended: {
    message: "the program exited",
    fix: "run it by hand and read its output; it must keep running while the tunnel is open",
  },
  command_no_address: {
    message: "the program printed no address in time",
    fix: "run it by hand and read its output; use --tunnel command with a pattern that matches the address",
  },
  command_address_invalid: {
    message: "the pattern matched something that is not an address",
    fix: "use a tunnelUrlPattern with a group around the address only: https://host, or host:port",
    permanent: true,
  },
} as const satisfies FailureTable<string>;

/**
 * A tunnel through any program that prints an address. The program gets the environment of the
 * tunnel's child process.
 */
export const command: TunnelProvider<CommandSettings> = {
  name: "command",
  open: async (
    { command: words, urlPattern, scheme = "https", addressTimeout = 30 },
    target,
    report,
  ) => {
    const [program = "", ...argv] = words.map((word) => fillIn(word, target));
    // At most 8192 characters: longer lines are cut where they are read.
    const pattern = new RegExp(urlPattern);
    return openProgramTunnel(
      {
        program,
        argv,
        addressTimeout,
        readUrl: (line) => {
          const found = find(line, pattern);
          if (found === undefined) return undefined;
          const url = readPublicUrl(/^https?:\/\//i.test(found) ? found : `${scheme}://${found}`);
          return url ?? failureOf(COMMAND_CODES, "command_address_invalid", found);
        },
        noAddress: (said) => {
          const last = lastOf(said);
          const detail = last === undefined ? "it printed nothing" : `its last line: ${last}`;
          return failureOf(COMMAND_CODES, "command_no_address", detail);
        },
        ended: (end, said) => endOf(end, lastOf(said)),
      },
      report,
    );
  },
};

function lastOf({ stderr, stdout }: Said): string | undefined {
  return stderr.at(-1) ?? stdout.at(-1);
}

function fillIn(word: string, { host, port }: TunnelTarget): string {
  const authority = `${host.includes(":") ? `[${host}]` : host}:${port}`;
  return word
    .replaceAll("{target}", `http://${authority}`)
    .replaceAll("{host}", host)
    .replaceAll("{port}", String(port));
}

function find(line: string, pattern: RegExp): string | undefined {
  const match = pattern.exec(line);
  return match?.[1] ?? match?.[0];
}

function endOf({ error, exitCode, signal }: ProgramEnd, said: string | undefined): TunnelFailure {
  if (error !== undefined) {
    const missing = isMissing(error);
    return failureOf(COMMAND_CODES, missing ? "command_missing" : "command_ended", error.message);
  }
  const how = signal ?? `exit code ${exitCode}`;
  return failureOf(COMMAND_CODES, "command_ended", said === undefined ? how : `${how}: ${said}`);
}
