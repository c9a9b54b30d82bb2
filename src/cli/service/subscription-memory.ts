import { appendFileSync, closeSync, constants, lstatSync, openSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Environment } from "../../client/credential.ts";
import { HookporterError } from "../../errors.ts";
import { describeFileError } from "../files/file-error.ts";
import { makeStateFolder, STATE_FOLDER } from "../files/state-folder.ts";

/** What is known of a subscription that was made from this folder. */
export interface RememberedSubscription {
  /** `wh_…` where the service's answer named one. */
  readonly id: string | null;
  /** `unconfirmed`: the service may have made it, but no good answer came. */
  readonly state: "created" | "unconfirmed";
  readonly url: string;
  /** The kinds, in the order of the service's description. */
  readonly events: readonly string[];
  /** With which service, and whose data there. */
  readonly baseUrl: string;
  readonly environment: Environment;
  /** Tells secrets apart and gives none away. */
  readonly secretFingerprint: string;
  /** The tunnel that the URL belonged to; its addresses may change with each run. */
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

/** Where subscriptions are remembered, as seen from the working folder. */
export const SUBSCRIPTIONS_FILE = join(STATE_FOLDER, "subscriptions.ndjson");

/**
 * The subscriptions made from one folder. The API shows no way to list them, so this is all there is to know which ones
 * must be removed by hand. Another command may write at the same moment, so nothing is ever written over: each change is a
 * line that is appended.
 */
export class SubscriptionMemory {
  readonly #cwd: string;

  constructor(cwd: string) {
    this.#cwd = cwd;
  }

  /**
   * Oldest first.
   *
   * @throws HookporterError `input_invalid` for a file that is damaged: what it knew must not be lost without a word
   */
  get all(): readonly RememberedSubscription[] {
    let known: readonly RememberedSubscription[] = [];
    for (const { change, subscription } of readChanges(this.#read())) {
      known = change === "add" ? [...known, subscription] : known.filter((one) => !isSame(one, subscription));
    }
    return known;
  }

  /** Adds one. */
  add(subscription: RememberedSubscription): void {
    this.#append({ format: FORMAT, change: "add", subscription });
  }

  /** Forgets one. */
  forget(subscription: RememberedSubscription): void {
    this.#append({ format: FORMAT, change: "forget", subscription });
  }

  /** Puts what is known now in the place of what was. */
  replace(before: RememberedSubscription, now: RememberedSubscription): void {
    this.#append(
      { format: FORMAT, change: "forget", subscription: before },
      { format: FORMAT, change: "add", subscription: now },
    );
  }

  get #path(): string {
    return join(this.#cwd, SUBSCRIPTIONS_FILE);
  }

  /** Empty where there is no file yet. */
  #read(): string {
    try {
      const found = lstatSync(this.#path, { throwIfNoEntry: false });
      if (found === undefined) return "";
      if (found.isFile()) return readFileSync(this.#path, "utf8");
      throw damaged("is not a file");
    } catch (thrown) {
      if (thrown instanceof HookporterError) throw thrown;
      throw damaged(`cannot be read: ${describeFileError(thrown)}`);
    }
  }

  /** In one write at the end of the file, which the system does not mix with another's. */
  #append(...changes: readonly Change[]): void {
    const before = this.#read();
    const lines = changes.map((change) => `${JSON.stringify(change)}\n`).join("");
    try {
      makeStateFolder(this.#cwd);
      append(this.#path, before === "" || before.endsWith("\n") ? lines : `\n${lines}`); // an editor may leave it out
    } catch (thrown) {
      if (thrown instanceof HookporterError) throw thrown;
      throw damaged(`cannot be written: ${describeFileError(thrown)}`);
    }
  }
}

/** Only its owner can read the file; a symbolic link is not followed. */
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
    } catch {} // not JSON: the same to say
    throw damaged("is not what hookporter wrote");
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
    `${SUBSCRIPTIONS_FILE} ${what}: mend it, or look up in the service's administration interface ` +
      "which subscriptions there are, and remove the file",
  );
}
