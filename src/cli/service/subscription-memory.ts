import { appendFileSync, closeSync, constants, lstatSync, openSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Environment } from "../../client/credential.ts";
import { HookporterError } from "../../errors.ts";
import { makeStateFolder, STATE_FOLDER } from "../files/state-folder.ts";
import { unusable } from "../files/unusable.ts";

export interface RememberedSubscription {
  /** `wh_…` if the service's response contained an id. */
  readonly id: string | null;
  /** `unconfirmed`: the service may have created it, but its response was lost or invalid. */
  readonly state: "created" | "unconfirmed";
  readonly url: string;
  /** The kinds, in the order of the service's description. */
  readonly events: readonly string[];
  /** The service, and whose data there. */
  readonly baseUrl: string;
  readonly environment: Environment;
  /** Identifies the secret without revealing it. */
  readonly secretFingerprint: string;
  /** The tunnel that the URL belonged to; its address may change with each run. */
  readonly tunnel: string | null;
  /** ISO 8601, UTC. */
  readonly createdAt: string;
}

/** One line of the file. */
interface Change {
  readonly format: typeof FORMAT;
  readonly change: "add" | "forget";
  readonly subscription: RememberedSubscription;
}

const FORMAT = "hookporter-subscription/1";

/** The file of remembered subscriptions, relative to the working folder. */
export const SUBSCRIPTIONS_FILE = join(STATE_FOLDER, "subscriptions.ndjson");

/** The file that a process has while it creates a subscription. Creates the folder for it, if possible. */
export function subscriptionsLock(cwd: string): string {
  try {
    makeStateFolder(cwd);
  } catch {} // the attempt to remember a subscription reports it
  return join(cwd, `${SUBSCRIPTIONS_FILE}.lock`);
}

/**
 * The subscriptions created from one folder. The API shows no way to list them, so this is the only record of those that
 * must be removed by hand. Another command may write at the same moment, so nothing is overwritten: each change appends a
 * line.
 */
export class SubscriptionMemory {
  readonly #cwd: string;

  constructor(cwd: string) {
    this.#cwd = cwd;
  }

  /**
   * All remembered subscriptions, oldest first.
   *
   * @throws HookporterError `input_invalid` for a damaged file, whose content must not be lost silently
   */
  get all(): readonly RememberedSubscription[] {
    let known: readonly RememberedSubscription[] = [];
    for (const { change, subscription } of readChanges(this.#read())) {
      known = change === "add" ? [...known, subscription] : known.filter((one) => !isSame(one, subscription));
    }
    return known;
  }

  add(subscription: RememberedSubscription): void {
    this.#append({ format: FORMAT, change: "add", subscription });
  }

  forget(subscription: RememberedSubscription): void {
    this.#append({ format: FORMAT, change: "forget", subscription });
  }

  replace(before: RememberedSubscription, now: RememberedSubscription): void {
    this.#append(
      { format: FORMAT, change: "forget", subscription: before },
      { format: FORMAT, change: "add", subscription: now },
    );
  }

  get #path(): string {
    return join(this.#cwd, SUBSCRIPTIONS_FILE);
  }

  /** The file's text; empty if there is no file yet. */
  #read(): string {
    try {
      const found = lstatSync(this.#path, { throwIfNoEntry: false });
      if (found === undefined) return "";
      if (found.isFile()) return readFileSync(this.#path, "utf8");
      throw damaged("is not a file");
    } catch (thrown) {
      if (thrown instanceof HookporterError) throw thrown;
      throw unusable(this.#path, thrown);
    }
  }

  /** Appends in a single write, which the system does not mix with another process's. */
  #append(...changes: readonly Change[]): void {
    const before = this.#read();
    const lines = changes.map((change) => `${JSON.stringify(change)}\n`).join("");
    try {
      makeStateFolder(this.#cwd);
      append(this.#path, before === "" || before.endsWith("\n") ? lines : `\n${lines}`); // an editor may have removed the last line end
    } catch (thrown) {
      if (thrown instanceof HookporterError) throw thrown;
      throw unusable(this.#path, thrown);
    }
  }
}

/** Appends to the file so that only its owner can read it; does not follow a symbolic link. */
function append(path: string, text: string): void {
  const { O_APPEND, O_CREAT, O_WRONLY, O_NOFOLLOW = 0 } = constants;
  const file = openSync(path, O_APPEND | O_CREAT | O_WRONLY | O_NOFOLLOW, 0o600);
  try {
    appendFileSync(file, text);
  } finally {
    closeSync(file);
  }
}

function readChanges(text: string): readonly Change[] {
  const lines = text.split("\n").filter((line) => line.trim() !== "");
  return lines.map((line) => {
    try {
      const change: unknown = JSON.parse(line);
      if (isChange(change)) return change;
    } catch {} // not JSON; reported below
    throw damaged("was changed by something other than hookporter");
  });
}

function isSame(one: RememberedSubscription, other: RememberedSubscription): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

function isChange(value: unknown): value is Change {
  const { format, change, subscription } = (value ?? {}) as Record<string, unknown>;
  return format === FORMAT && (change === "add" || change === "forget") && isRemembered(subscription);
}

function isRemembered(value: unknown): value is RememberedSubscription {
  const { id, state, events, tunnel, ...texts } = (value ?? {}) as Record<string, unknown>;
  const needed = [texts.url, texts.baseUrl, texts.environment, texts.secretFingerprint, texts.createdAt];
  return (
    (id === null || typeof id === "string") &&
    (state === "created" || state === "unconfirmed") &&
    (tunnel === null || typeof tunnel === "string") &&
    Array.isArray(events) &&
    [...events, ...needed].every((text) => typeof text === "string")
  );
}

function damaged(what: string): HookporterError {
  return new HookporterError(
    "input_invalid",
    `${SUBSCRIPTIONS_FILE} ${what}: fix it, or look up in the service's administration interface ` +
      "which subscriptions exist, and remove the file",
  );
}
