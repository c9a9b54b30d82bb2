import { type ChildProcess, spawn } from "node:child_process";
import type { Logger } from "../../logger.ts";
import { builtProgram } from "./built-program.ts";
import type { FileReport } from "./check-file.ts";

const FIX = "stop all programs that use it, move it and its -wal away, and follow docs/recovery.md";

/** Maximum problems of a check that are logged. */
const LOGGED = 5;

/**
 * Whether an inbox file can be trusted with deliveries. At the first sign of damage a separate process checks every
 * page. If entries cannot be handled, or if the damage is not limited to single entries, no delivery is acknowledged
 * any more.
 */
export class Trust {
  readonly #path: string;
  readonly #log: Logger | undefined;
  #damage: string | undefined;
  #checked = false;
  #check: ChildProcess | undefined;

  constructor(path: string, log: Logger | undefined) {
    this.#path = path;
    this.#log = log;
  }

  /** Why no delivery may be acknowledged; `undefined` while the file is trusted. */
  get damage(): string | undefined {
    return this.#damage;
  }

  /** Call it for damage that stops entries from being run. */
  lose(why: string): void {
    if (this.#damage === undefined) {
      this.#damage = `${this.#path} is damaged: ${why}; ${FIX}`;
      this.#log?.error({}, `no delivery is acknowledged any more: ${this.#damage}`);
    }
    this.#checkOnce();
  }

  /** Call it for damage that, as far as is known, concerns a single entry. */
  doubt(why: string): void {
    if (!this.#checked) this.#log?.error({}, `${this.#path} is damaged: ${why}; checking the whole file`);
    this.#checkOnce();
  }

  /** Ends a running check. */
  close(): void {
    this.#check?.kill("SIGKILL");
    this.#check = undefined;
  }

  #checkOnce(): void {
    const program = builtProgram("inbox-check.js");
    if (this.#checked || program?.exists !== true) return;
    this.#checked = true;
    const child = spawn(process.execPath, [program.path, this.#path], {
      stdio: ["ignore", "pipe", "ignore"],
    });
    this.#check = child;
    child.unref();
    let text = "";
    child.stdout.setEncoding("utf8").on("data", (chunk: string) => {
      text += chunk;
    });
    child.on("error", () => {}); // without the check, what is known so far decides
    child.on("close", (code) => {
      if (this.#check === child && code === 0) this.#judge(JSON.parse(text));
      this.#check = undefined;
    });
  }

  #judge({ problems, unreadable, usable }: FileReport): void {
    const found = { problems: problems.slice(0, LOGGED), unreadable: unreadable.slice(0, LOGGED) };
    if (problems.length + unreadable.length === 0) {
      this.#damage = undefined;
      this.#log?.warn({}, `${this.#path}: the whole file was checked and is not damaged`);
    } else if (usable) {
      this.#log?.error(found, `${this.#path}: single entries are damaged; ${FIX}`);
    } else {
      this.#log?.error(found, `${this.#path}: the whole file was checked`);
      this.lose(problems[0] ?? "");
    }
  }
}
