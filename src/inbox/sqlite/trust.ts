import { type ChildProcess, spawn } from "node:child_process";
import type { Logger } from "../../logger.ts";
import { besideThisFile } from "./built-program.ts";
import type { FileReport } from "./check-file.ts";

const FIX = "stop what has it open, move it and its -wal away, and recover its rows: see docs/inbox-file.md";

/** Problems that are logged of a check. */
const LOGGED = 5;

/**
 * Whether an inbox file can be trusted with deliveries. Once damage was seen anywhere in it every page is looked at, by a
 * process of its own; if handling is impossible, or the damage is more than single entries', nothing is acknowledged any
 * more.
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

  /** Why nothing may be acknowledged. */
  get damage(): string | undefined {
    return this.#damage;
  }

  /** Damage was seen that stops entries from being run. */
  lose(why: string): void {
    if (this.#damage === undefined) {
      this.#damage = `${this.#path} is damaged: ${why}; ${FIX}`;
      this.#log?.error({}, `no delivery is acknowledged any more: ${this.#damage}`);
    }
    this.#checkOnce();
  }

  /** Damage was seen that concerns a single entry, as far as is known. */
  doubt(why: string): void {
    if (!this.#checked) this.#log?.error({}, `${this.#path} is damaged: ${why}; looking at the whole file`);
    this.#checkOnce();
  }

  /** Ends a check that is under way. */
  close(): void {
    this.#check?.kill("SIGKILL");
    this.#check = undefined;
  }

  #checkOnce(): void {
    const program = besideThisFile("inbox-check.js");
    if (this.#checked || program === undefined) return;
    this.#checked = true;
    const child = spawn(process.execPath, [program, this.#path], { stdio: ["ignore", "pipe", "ignore"] });
    this.#check = child;
    child.unref();
    let text = "";
    child.stdout.setEncoding("utf8").on("data", (chunk: string) => {
      text += chunk;
    });
    child.on("error", () => {}); // then nothing more is known than before
    child.on("close", (code) => {
      if (this.#check === child && code === 0) this.#judge(JSON.parse(text));
      this.#check = undefined;
    });
  }

  #judge({ problems, unreadable, usable }: FileReport): void {
    const found = { problems: problems.slice(0, LOGGED), unreadable: unreadable.slice(0, LOGGED) };
    if (problems.length + unreadable.length === 0) {
      this.#damage = undefined;
      this.#log?.warn({}, `${this.#path}: the whole file was checked, and nothing is wrong with it`);
    } else if (usable) {
      this.#log?.error(found, `${this.#path} is damaged in single entries; ${FIX}`);
    } else {
      this.#log?.error(found, `${this.#path}: the whole file was checked`);
      this.lose(problems[0] ?? "");
    }
  }
}
