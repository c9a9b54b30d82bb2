import { createHash } from "node:crypto";
import { rmSync, statSync } from "node:fs";
import { isAbsolute, join } from "node:path";
import { makeFolder } from "../../base/make-folder.ts";
import { type Environment, realPath, settingsFolder } from "../../base/system/paths.ts";
import { tryOr } from "../../base/try-or.ts";
import { replaceFile } from "../files/replace-file.ts";
import { readOwnFile } from "../files/state-folder.ts";

/** What a file of a folder would like to set, and may not without the person's consent. */
export interface Wish {
  /** The flag, by its camel-case name; `code` for a configuration file that runs. */
  readonly flag: string;
  /** As the file has it, without the password of a database. */
  readonly value: string;
  /** Where it is from, as messages and `--explain` say it. */
  readonly where: string;
  /** The path of the file. */
  readonly file: string;
}

/** Holds the person's consent of this environment, as `hookporter trust` prints it. */
export const TRUST_VARIABLE = "HOOKPORTER_TRUST";

/**
 * What the person has agreed to in one folder: values, by the owner of the file that they are in.
 * It is kept among the settings of the user's programs, as digests, since a value may hold a
 * password.
 */
export class Consent {
  readonly #folder: string;
  readonly #path: string | undefined;
  #digests: ReadonlySet<string> | undefined;

  constructor(folder: string, env: Environment) {
    this.#folder = tryOr(() => realPath(folder), folder);
    this.#path = consentFile(this.#folder, env);
  }

  /**
   * The file that holds it; `undefined` if no variable says where the user's settings are, and
   * nothing can be remembered.
   */
  get path(): string | undefined {
    return this.#path;
  }

  /** Whether the person has agreed to it. Throws `secret_unsafe` if others may write the file. */
  covers(wish: Wish): boolean {
    this.#digests ??= this.#read();
    return this.#digests.has(digestOf(wish));
  }

  /** Remembers these wishes, and forgets any others. Throws the file system's error. */
  remember(wishes: readonly Wish[]): void {
    if (this.#path === undefined) return;
    this.#digests = new Set(wishes.map(digestOf));
    if (wishes.length === 0) {
      rmSync(this.#path, { force: true });
      return;
    }
    makeFolder(join(this.#path, ".."), 0o700);
    replaceFile(this.#path, `${[`# ${this.#folder}`, ...this.#digests].join("\n")}\n`);
  }

  #read(): ReadonlySet<string> {
    const text = this.#path === undefined ? undefined : readOwnFile(this.#path);
    return new Set(text?.split("\n"));
  }
}

/** One hash of all wishes. It is the same in each checkout: owners of files are left out. */
export function hashOfAll(wishes: readonly Wish[]): string {
  const texts = wishes.map(({ flag, value }) => JSON.stringify([flag, value]));
  return hash([...new Set(texts)].sort());
}

function consentFile(folder: string, env: Environment): string | undefined {
  const settings = settingsFolder(env);
  if (settings === undefined || !isAbsolute(settings)) return undefined;
  return join(settings, "hookporter", "trusted", hash(folder));
}

function digestOf({ flag, value, file }: Wish): string {
  return hash([ownerOf(file), flag, value]);
}

function ownerOf(file: string): number | undefined {
  return statSync(file, { throwIfNoEntry: false })?.uid;
}

function hash(what: unknown): string {
  return createHash("sha256").update(JSON.stringify(what)).digest("hex").slice(0, 32);
}
