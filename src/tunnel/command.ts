import { shortText } from "./plain-text.ts";
import { type ProgramEnd, startProgram } from "./program.ts";
import type { TunnelFailure, TunnelProvider, TunnelTarget } from "./provider.ts";
import { readPublicUrl } from "./public-url.ts";

/** Settings for any program that prints the address of the tunnel it opens. */
export interface CommandSettings {
  /** The program and its arguments, run without a shell; `{target}` (a URL), `{host}` and `{port}` are replaced. */
  readonly command: readonly string[];
  /** A regular expression that finds the address in a line of output: its first group if it has one, else the match. */
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
    permanent: false,
  },
  command_no_address: {
    message: "the program printed no address in time",
    fix: "run it by hand and read its output; use --tunnel command with a pattern that matches the address",
    permanent: false,
  },
  command_address_invalid: {
    message: "the pattern matched something that is not an address",
    fix: "use a --tunnel-url-pattern with a group around the address only: https://host, or host:port",
    permanent: true,
  },
} as const satisfies Record<string, Omit<TunnelFailure, "code">>;

/** One of the codes of the command provider. */
export type CommandCode = keyof typeof COMMAND_CODES;

/** A tunnel through any program that prints an address. The program gets the environment of the tunnel's child process. */
export const command: TunnelProvider<CommandSettings> = {
  name: "command",
  open: async ({ command: words, urlPattern, scheme, addressTimeout = 30 }, target, report) => {
    const [name = "", ...argv] = words.map((word) => fillIn(word, target));
    const pattern = new RegExp(urlPattern);
    const last = { stdout: "", stderr: "" };
    let current: string | undefined;
    const giveUp = (code: CommandCode, why: string) => {
      clearTimeout(patience);
      void program.end().then(() => report.failed(failure(code, why)));
    };
    const program = startProgram({
      program: name,
      argv,
      onLine: (line, stream) => {
        last[stream] = line;
        const found = find(line, pattern);
        if (found === undefined) return;
        const url = readPublicUrl(/^https?:\/\//i.test(found) ? found : `${scheme ?? "https"}://${found}`);
        if (url === undefined) return giveUp("command_address_invalid", found);
        if (url === current) return;
        clearTimeout(patience);
        current = url;
        report.up(url);
      },
      onEnd: (end) => {
        clearTimeout(patience);
        report.failed(endOf(end, last.stderr || last.stdout));
      },
    });
    const patience = setTimeout(() => {
      const said = last.stderr || last.stdout;
      giveUp("command_no_address", said === "" ? "it printed nothing" : `its last line: ${said}`);
    }, addressTimeout * 1000);
    return {
      close: () => {
        clearTimeout(patience);
        return program.end();
      },
    };
  },
};

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

function endOf({ error, exitCode, signal }: ProgramEnd, said: string): TunnelFailure {
  if (error !== undefined) {
    const missing = /\b(?:ENOENT|EACCES)\b/.test(error.message);
    return failure(missing ? "command_missing" : "command_ended", error.message);
  }
  const how = signal ?? `exit code ${exitCode}`;
  return failure("command_ended", said === "" ? how : `${how}: ${said}`);
}

function failure(code: CommandCode, detail: string): TunnelFailure {
  const { message, ...rest } = COMMAND_CODES[code];
  return { code, message: shortText(`${message}: ${detail}`), ...rest };
}
