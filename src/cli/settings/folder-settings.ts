import type { Command, Option } from "commander";
import { isRecord } from "../../base/guards.ts";
import type { Environment } from "../../base/system/paths.ts";
import { isPostgresUrl, withoutPassword } from "../../inbox/postgres/postgres-url.ts";
import type { Variables } from "../project/env-text.ts";
import { PROJECT_KEYS, type ProjectSection } from "../project/read-project.ts";
import { Consent, hashOfAll, TRUST_VARIABLE, type Wish } from "../trust/consent.ts";
import { widens } from "../trust/widening.ts";
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
  /**
   * The file of the folder that it is from: someone else may have written it. Default: the
   * process's environment, or a file of the person's own.
   */
  readonly file?: string;
  /** Its value as the file has it. Default: the value. */
  readonly written?: unknown;
}

/** Variables of a file, and how messages name the file. */
interface EnvFile {
  readonly name: string;
  readonly path: string;
  readonly variables: Variables;
  /** Whether the person named it, and it is not in the folder. */
  readonly isOwn: boolean;
}

/** The configuration file; without one its content is empty. */
interface ConfigFile {
  readonly name: string;
  readonly path: string;
  readonly content: Readonly<Record<string, unknown>>;
  /** As `content`, but variables of the process's environment are names, such as `${NAME}`. */
  readonly written: Readonly<Record<string, unknown>>;
  /** Whether it runs as code: its content counts only once the person has agreed to that. */
  readonly isCode: boolean;
}

/** The folder, the process's environment, and every command that takes settings. */
interface Place {
  readonly cwd: string;
  readonly env: Environment;
  readonly commands: readonly Command[];
}

/**
 * What a folder's environment, its env file and its configuration file say. What widens what a
 * command may do counts from a file of the folder only with the person's consent.
 */
export class FolderSettings {
  /** Whether the configuration file describes a server of the project. */
  readonly hasProject: boolean;
  /** The configuration file as a wish, if it runs as code. */
  readonly code: Wish | undefined;
  readonly #place: Place;
  readonly #envFile: EnvFile;
  readonly #config: ConfigFile;
  #consent: Consent | undefined;
  #wishes: readonly Wish[] | undefined;

  constructor(place: Place, envFile: EnvFile, config: ConfigFile) {
    this.#place = place;
    this.#envFile = envFile;
    this.#config = config;
    this.hasProject = isRecord(config.content.project);
    const { name, path, isCode } = config;
    this.code = isCode ? { flag: "code", value: name, where: name, file: path } : undefined;
  }

  /** These settings with what the configuration file exports, to which the person has agreed. */
  withExports(content: ConfigFile["content"]): FolderSettings {
    return new FolderSettings(this.#place, this.#envFile, { ...this.#config, content });
  }

  /**
   * The setting of a flag of a command, from the first of its places that counts, and what would be
   * used instead if the person agreed to it. The environment comes before any file.
   */
  look(command: Command, option: Option) {
    const flag = option.attributeName();
    let refused: Wish | undefined;
    const places = isTypedOnly(flag)
      ? []
      : [this.#inEnvironment(variableName(option, command)), ...this.#inFiles(command, option)];
    for (const found of places) {
      if (found === undefined) continue;
      const wish = this.#wish(flag, found);
      if (wish === undefined || this.agreesTo(wish)) return { found, refused };
      refused ??= wish;
    }
    return { found: undefined, refused };
  }

  /** What the project's own server uses. */
  project(key: keyof ProjectSection): Setting | undefined {
    const { env } = this.#place;
    const port = key === "port" ? env.PORT || this.#envFile.variables.PORT : undefined;
    if (port) return { value: port, where: "PORT", source: "env" };
    const found = this.#inSection("project", key);
    const wish = found && this.#wish(key, found);
    return wish === undefined || this.agreesTo(wish) ? found : undefined;
  }

  /** Whether the person has agreed to a wish, here or by the variable of this environment. */
  agreesTo(wish: Wish): boolean {
    const { cwd, env } = this.#place;
    this.#consent ??= new Consent(cwd, env);
    return this.#consent.covers(wish) || env[TRUST_VARIABLE] === hashOfAll(this.wishes());
  }

  /** What the folder's files would like to set, and may not without the person's consent. */
  wishes(): readonly Wish[] {
    this.#wishes ??= this.#findWishes();
    return this.#wishes;
  }

  #findWishes(): readonly Wish[] {
    const ofCommands = this.#place.commands.flatMap((command) =>
      command.options.flatMap((option) => {
        const flag = option.attributeName();
        const places = isTypedOnly(flag) ? [] : this.#inFiles(command, option);
        return places.map((setting) => setting && this.#wish(flag, setting));
      }),
    );
    const ofProject = PROJECT_KEYS.map((key) => {
      const found = this.#inSection("project", key);
      return found && this.#wish(key, found);
    });
    const all = [this.code, ...ofCommands, ...ofProject].filter((wish) => wish !== undefined);
    return [...new Map(all.map((wish) => [wish.where, wish])).values()];
  }

  /** A setting as a wish; `undefined` if it counts without consent. */
  #wish(flag: string, { value, where, file, written = value }: Setting): Wish | undefined {
    if (file === undefined || !widens(flag, value, this.#place.cwd)) return undefined;
    const texts = [written].flat().map(String);
    const shown = texts.map((text) => (isPostgresUrl(text) ? withoutPassword(text) : text));
    return { flag, value: shown.join(", "), where, file };
  }

  /** Where a variable is set that no flag reads; `undefined` if it is not. */
  placeOf(variable: string): string | undefined {
    if (this.#place.env[variable]) return `${variable} in the environment`;
    return this.#inEnvFile(variable)?.where;
  }

  /** What the files say in each of their places, the first of which is used. */
  #inFiles(command: Command, option: Option): readonly (Setting | undefined)[] {
    const flag = option.attributeName();
    const settings = settingsName(command);
    // The inbox of a project is its server's. `listen` beside it has its own: a forward must be new
    // to the server.
    const isInbox = flag === "inbox" && !hasOwnMeaning(flag, settings);
    const isListens = isInbox && this.hasProject && settings === "listen";
    return [
      this.#inSection(commandName(command), flag),
      this.#inSection(settings, flag),
      isListens ? undefined : this.#inEnvFile(variableName(option, command)),
      isInbox && !isListens ? this.#inSection("project", "inbox") : undefined,
      this.#forAll(flag, settings),
    ];
  }

  #inEnvironment(variable: string): Setting | undefined {
    const value = this.#place.env[variable];
    return value ? { value, where: variable, source: "env" } : undefined;
  }

  #inEnvFile(variable: string): Setting | undefined {
    const { name, path, variables, isOwn } = this.#envFile;
    const value = variables[variable];
    if (!value) return undefined;
    const where = `${variable} in ${name}`;
    return isOwn ? { value, where, source: "env" } : { value, where, source: "env", file: path };
  }

  #inSection(under: string, flag: string): Setting | undefined {
    const section = this.#config.content[under];
    if (!isRecord(section) || !Object.hasOwn(section, flag)) return undefined;
    const written = this.#config.written[under];
    const text = isRecord(written) ? written[flag] : undefined;
    return this.#inConfig(section[flag], text, `${under}: ${flag}`);
  }

  /**
   * At the top of the configuration file. An object there has the flags of the command with that
   * name; a flag with another meaning in each command is set in its section alone.
   */
  #forAll(flag: string, settings: string): Setting | undefined {
    const { content, written } = this.#config;
    if (!Object.hasOwn(content, flag) || isRecord(content[flag]) || hasOwnMeaning(flag, settings))
      return undefined;
    return this.#inConfig(content[flag], written[flag], flag);
  }

  #inConfig(value: unknown, written: unknown, place: string): Setting {
    const { name, path, isCode } = this.#config;
    const where = `${name} (${place})`;
    const [, variable = ""] = /^\$\{(\w+)\}$/.exec(String(written)) ?? [];
    // the person has agreed to run it, or says it in the environment
    if (isCode || (variable !== "" && value === this.#place.env[variable]))
      return { value, where, source: "config" };
    return { value, where, source: "config", file: path, written };
  }
}
