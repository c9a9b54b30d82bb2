import type { CliCommand } from "../cli-command.ts";
import { readHeaderNames } from "../settings/values.ts";
import {
  type AddedHeader,
  readAddedHeader,
  readForwardHost,
  readHeaderVariable,
} from "./values.ts";

export interface ForwardRequestOptions {
  readonly header?: readonly AddedHeader[];
  /** Headers whose values are in environment variables; `value` is the variable's name. */
  readonly headerEnv?: readonly AddedHeader[];
  readonly forwardHost?: string;
  readonly passHeaders?: readonly string[];
  readonly insecure?: boolean;
}

/** The flags that add headers to each request; `what` is the word for one, such as "forward". */
export function addHeaderOptions(command: CliCommand, what: string, variable: string): CliCommand {
  return command
    .option(
      "--header <header>",
      `header to add to each ${what}, such as 'x-team: billing'; may be repeated; for a secret use --header-env`,
      readAddedHeader,
    )
    .option(
      "--header-env <name=variable>",
      `header to add whose value is in an environment variable, such as authorization=${variable}; may be repeated`,
      readHeaderVariable,
    );
}

export function addForwardRequestOptions(command: CliCommand): CliCommand {
  return addHeaderOptions(command, "forward", "APP_TOKEN")
    .setting(
      "--forward-host <host>",
      "Host header of each forward (default: that of the target)",
      readForwardHost,
    )
    .setting(
      "--pass-headers <names>",
      "headers to forward that others on the way may have added, such as x-forwarded-for",
      readHeaderNames,
    )
    .option(
      "--insecure",
      "forward to https targets with any certificate, such as a self-signed one; loopback and private addresses only",
    );
}
