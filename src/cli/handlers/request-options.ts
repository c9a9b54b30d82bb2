import type { CliCommand } from "../cli-command.ts";
import { type AddedHeader, readAddedHeader, readForwardHost, readHeaderVariable } from "./values.ts";

export interface ForwardRequestOptions {
  readonly header?: readonly AddedHeader[];
  /** Headers whose values are in environment variables; `value` is the variable's name. */
  readonly headerEnv?: readonly AddedHeader[];
  readonly forwardHost?: string;
  readonly insecure?: boolean;
}

export function addForwardRequestOptions(command: CliCommand): CliCommand {
  return command
    .option(
      "--header <header>",
      "header to add to each forward, such as 'x-team: billing'; may be repeated; for a secret use --header-env",
      readAddedHeader,
    )
    .option(
      "--header-env <name=variable>",
      "header to add whose value is in an environment variable, such as authorization=APP_TOKEN; may be repeated",
      readHeaderVariable,
    )
    .option(
      "--forward-host <host>",
      "Host header of each forward (default: that of the target)",
      readForwardHost,
    )
    .option(
      "--insecure",
      "forward to https targets with any certificate, such as a self-signed one; loopback and private addresses only",
    );
}
