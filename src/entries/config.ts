/** `hookporter/config`: what a project says once, for its server and for the commands. */
import type { CommandFlags, SharedFlags } from "../../generated/config-flags.ts";
import type { ProjectSection } from "../cli/project/read-project.ts";

export type { CommandFlags, OneOrMore, SharedFlags } from "../../generated/config-flags.ts";
export { type Project, type ProjectSection, readProject } from "../cli/project/read-project.ts";
export { type CloseServer, runServer } from "../cli/project/run-server.ts";

/**
 * The settings of a project, in `hookporter.config.ts` or another file beside it: see
 * docs/reference/configuration.md. A key is a flag in camel case, which applies to every command
 * that has it, the name of a command, whose flags take precedence, or `project`.
 */
export interface Config extends SharedFlags, CommandFlags {
  /** What the project's own server uses. */
  readonly project?: ProjectSection | undefined;
}

/**
 * Returns the settings as they are. It checks their types while you write them.
 *
 * @example
 * ```ts
 * // hookporter.config.ts
 * import { defineConfig } from "hookporter/config";
 *
 * export default defineConfig({
 *   forwardTo: ["3000", "payment.*=3001"],
 *   listen: { port: 4401, timeout: "60s" },
 * });
 * ```
 */
export function defineConfig(config: Config): Config {
  return config;
}
