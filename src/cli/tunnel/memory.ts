import { readFileSync } from "node:fs";
import { join } from "node:path";
import { replaceFile } from "../files/replace-file.ts";
import { makeStateFolder, STATE_FOLDER } from "../files/state-folder.ts";

/** The public addresses of earlier runs by tunnel name, to notice a change that the service must be told about. */
export class TunnelMemory {
  readonly #cwd: string;
  readonly #name: string;

  constructor(cwd: string, name: string) {
    this.#cwd = cwd;
    this.#name = name;
  }

  /** The address of the last run that was online. */
  get url(): string | undefined {
    const url = this.#read()[this.#name];
    return typeof url === "string" && URL.canParse(url) ? url : undefined;
  }

  /** Stores an address; throws file system errors. */
  remember(url: string): void {
    if (url === this.url) return;
    makeStateFolder(this.#cwd);
    const text = JSON.stringify({ ...this.#read(), [this.#name]: url }, null, 2);
    replaceFile(this.#path, `${text}\n`);
  }

  get #path(): string {
    return join(this.#cwd, STATE_FOLDER, "tunnels.json");
  }

  #read(): Readonly<Record<string, unknown>> {
    try {
      const known: unknown = JSON.parse(readFileSync(this.#path, "utf8"));
      return typeof known === "object" && known !== null ? { ...known } : {};
    } catch {
      return {}; // missing or damaged; only a hint is lost
    }
  }
}
