import type { Command, Option } from "commander";
import { isRecord } from "../../base/guards.ts";
import type { Variables } from "../project/env-text.ts";
import type { ProjectSection } from "../project/read-project.ts";
import {
  commandName,
  hasOwnMeaning,
  isTypedOnly,
  settingsName,
  variableName,
} from "./command-tree.ts";

/** A setting that was found, not read yet. */
export interface Setting {
  readonly value: unknown;
  /** Where it is from, as messages and `--explain` say it. */
  readonly where: string;
  readonly source: "env" | "config";
  /** The file that it is from. Default: the environment. */
  readonly file?: string;
}

/** Variables of a file, and how messages name the file. */
interface EnvFile {
  readonly name: string;
  readonly path: string;
  readonly variables: Variables;
}

/** The configuration file; without one its content is empty. */
interface ConfigFile {
  readonly name: string;
  readonly path: string;
  readonly content: Readonly<Record<string, unknown>>;
}

/** What a folder's environment, its env file and its configuration file say. */
export class FolderSettings {
  /** Whether the configuration file describes a server of the project. */
  readonly hasProject: boolean;
  readonly #env: Variables;
  readonly #envFile: EnvFile;
  readonly #config: ConfigFile;

  constructor(env: Variables, envFile: EnvFile, config: ConfigFile) {
    this.#env = env;
    this.#envFile = envFile;
    this.#config = config;
    this.hasProject = isRecord(config.content.project);
  }

  /** The setting of a flag of a command, from the first of these places that has one. */
  find(command: Command, option: Option): Setting | undefined {
    const flag = option.attributeName();
    if (isTypedOnly(flag)) return undefined;
    const variable = variableName(option, command);
    const settings = settingsName(command);
    // The inbox of a project is its server's. `listen` beside it has its own: a forward must be new
    // to the server.
    const isInbox = flag === "inbox" && !hasOwnMeaning(flag, settings);
    const isListens = isInbox && this.hasProject && settings === "listen";
    return (
      this.#inEnvironment(variable) ??
      this.#inSection(commandName(command), flag) ??
      this.#inSection(settings, flag) ??
      (isListens ? undefined : this.#inEnvFile(variable)) ??
      (isInbox && !isListens ? this.project("inbox") : undefined) ??
      this.#forAll(flag, settings)
    );
  }

  /** What the project's own server uses. */
  project(key: keyof ProjectSection): Setting | undefined {
    const port = key === "port" ? this.#env.PORT || this.#envFile.variables.PORT : undefined;
    return port ? { value: port, where: "PORT", source: "env" } : this.#inSection("project", key);
  }

  /** Where a variable is set that no flag reads; `undefined` if it is not. */
  placeOf(variable: string): string | undefined {
    if (this.#env[variable]) return `${variable} in the environment`;
    return this.#inEnvFile(variable)?.where;
  }

  #inEnvironment(variable: string): Setting | undefined {
    const value = this.#env[variable];
    return value ? { value, where: variable, source: "env" } : undefined;
  }

  #inEnvFile(variable: string): Setting | undefined {
    const { name, path, variables } = this.#envFile;
    const value = variables[variable];
    if (!value) return undefined;
    return { value, where: `${variable} in ${name}`, source: "env", file: path };
  }

  #inSection(under: string, flag: string): Setting | undefined {
    const section = this.#config.content[under];
    if (!isRecord(section) || !Object.hasOwn(section, flag)) return undefined;
    return this.#inConfig(section[flag], `${under}: ${flag}`);
  }

  /**
   * At the top of the configuration file. An object there has the flags of the command with that
   * name; a flag with another meaning in each command is set in its section alone.
   */
  #forAll(flag: string, settings: string): Setting | undefined {
    const { content } = this.#config;
    if (!Object.hasOwn(content, flag) || isRecord(content[flag]) || hasOwnMeaning(flag, settings))
      return undefined;
    return this.#inConfig(content[flag], flag);
  }

  #inConfig(value: unknown, place: string): Setting {
    const { name, path } = this.#config;
    return { value, where: `${name} (${place})`, source: "config", file: path };
  }
}
