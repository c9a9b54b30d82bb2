import type { Logger } from "../../base/logger.ts";
import { unref } from "../../base/stand-ins.ts";
import { checkElsewhere } from "./care/check-elsewhere.ts";
import type { FileReport } from "./care/check-file.ts";

const FIX = "stop all programs that use it, move it and its -wal away, and follow docs/recovery.md";

/** Maximum problems of a check that are logged. */
const LOGGED = 5;

/**
 * Milliseconds from a check that found damage to the next one; each wait is twice as long as the
 * last, up to a limit.
 */
export const FIRST_WAIT = 30_000;
export const LONGEST_WAIT = 600_000;

/**
 * Whether an inbox file can be trusted with deliveries. At the first sign of damage a separate
 * process checks every page. If entries cannot be handled, or if the damage is not limited to
 * single entries, no delivery is acknowledged until a later check finds the whole file intact, as
 * it does once a disk no longer reports errors.
 */
export class Trust {
  /** The entries known to have their delivery on a damaged page. */
  readonly damaged = new Set<number>();
  readonly #path: string;
  readonly #log: Logger | undefined;
  readonly #startCheck: typeof checkElsewhere;
  /** Why no delivery may be acknowledged; `undefined` while the file is trusted. */
  damage: string | undefined;
  #checked = false;
  /**
   * Whose fault it is that the file cannot be read: a disk's that has reported errors, until a
   * check says otherwise.
   */
  #fault: "unknown" | "disk" | "file" = "unknown";
  #endCheck: (() => void) | undefined;
  #nextCheck: NodeJS.Timeout | undefined;
  #wait = FIRST_WAIT;

  constructor(path: string, log: Logger | undefined, startCheck = checkElsewhere) {
    this.#path = path;
    this.#log = log;
    this.#startCheck = startCheck;
  }

  /**
   * Entries whose delivery could not be read, until it is known that the file is damaged: if the
   * disk fails for a while, they can be read again.
   */
  get suspects(): readonly number[] {
    return this.#endCheck === undefined && this.#nextCheck === undefined ? [] : [...this.damaged];
  }

  /** Whether what looks like damage is the disk's fault, as far as is known. */
  get blamesDisk(): boolean {
    return this.#fault === "disk";
  }

  /** Call it if the disk reported an error. A file that a check found damaged stays damaged. */
  suspectDisk(): void {
    if (this.#fault === "unknown") this.#fault = "disk";
  }

  /** Call it for damage that stops entries from being run. */
  lose(why: string): void {
    if (this.damage === undefined) this.#distrust(why);
    if (this.#nextCheck === undefined) this.#check();
  }

  /** Call it for damage that, as far as is known, concerns a single entry. */
  doubt(why: string): void {
    if (this.#checked) return;
    this.#log?.error({}, `${this.#path} cannot be read in part: ${why}; checking the whole file`);
    this.#check();
  }

  #distrust(why: string): void {
    if (this.damage === undefined)
      this.#log?.error({}, `no delivery is acknowledged any more: ${why}`);
    this.damage = why;
  }

  /** Ends a running check, and starts no other. */
  close(): void {
    clearTimeout(this.#nextCheck);
    this.#endCheck?.();
  }

  #check(): void {
    this.#checked = true;
    this.#nextCheck = undefined;
    this.#endCheck ??= this.#startCheck(this.#path, (report) => {
      this.#endCheck = undefined;
      if (report !== undefined) this.#judge(report);
      if (this.damage !== undefined || report?.diskError !== undefined) {
        this.#nextCheck = unref(setTimeout(() => this.#check(), this.#wait));
        this.#wait = Math.min(2 * this.#wait, LONGEST_WAIT);
      }
    });
  }

  #judge({ problems, unreadable, usable, diskError }: FileReport): void {
    if (problems.length + unreadable.length === 0) {
      this.#fault = "unknown";
      this.damage = undefined;
      this.damaged.clear(); // the disk could not be read for a while
      this.#checked = false;
      this.#wait = FIRST_WAIT;
      this.#log?.warn({}, `${this.#path}: the whole file was checked and is not damaged`);
      return;
    }
    this.#fault = diskError === undefined ? "file" : "disk";
    const damaged = `${usable ? "single entries are damaged" : problems[0]}; ${FIX}`;
    const verdict =
      diskError === undefined ? damaged : `the disk reports errors (${diskError}): check the disk`;
    const found = { problems: problems.slice(0, LOGGED), unreadable: unreadable.slice(0, LOGGED) };
    this.#log?.error(found, `${this.#path} was checked: ${verdict}`);
    if (!usable || this.damage !== undefined) this.#distrust(`${this.#path}: ${verdict}`);
  }
}
