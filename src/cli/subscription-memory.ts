import { lstatSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Environment } from "../client/credential.ts";
import { HookporterError } from "../errors.ts";
import { describeFileError } from "./file-error.ts";
import { replaceFile } from "./replace-file.ts";
import { makeStateFolder, STATE_FOLDER } from "./state-folder.ts";

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

const FORMAT = "hookporter-subscriptions/1";

/** Where subscriptions are remembered, as seen from the working folder. */
export const SUBSCRIPTIONS_FILE = join(STATE_FOLDER, "subscriptions.json");

/**
 * The subscriptions made from one folder. The API shows no way to list them, so this is all there is to know which ones
 * must be removed by hand. It is read anew each time, since another command may write it too.
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
    const text = this.#read();
    if (text === undefined) return [];
    try {
      const file: unknown = JSON.parse(text);
      if (isFile(file)) return file.subscriptions;
    } catch {} // not JSON: the same to say
    throw damaged("is not what hookporter wrote");
  }

  /** Adds one. */
  add(subscription: RememberedSubscription): void {
    this.#write([...this.all, subscription]);
  }

  /** Forgets one. */
  forget(subscription: RememberedSubscription): void {
    this.#write(this.all.filter((one) => !isSame(one, subscription)));
  }

  /** Puts what is known now in the place of what was. */
  replace(before: RememberedSubscription, now: RememberedSubscription): void {
    this.#write([...this.all.filter((one) => !isSame(one, before)), now]);
  }

  get #path(): string {
    return join(this.#cwd, SUBSCRIPTIONS_FILE);
  }

  #read(): string | undefined {
    try {
      const found = lstatSync(this.#path, { throwIfNoEntry: false });
      if (found === undefined) return undefined;
      if (found.isFile()) return readFileSync(this.#path, "utf8");
      throw damaged("is not a file");
    } catch (thrown) {
      if (thrown instanceof HookporterError) throw thrown;
      throw damaged(`cannot be read: ${describeFileError(thrown)}`);
    }
  }

  #write(subscriptions: readonly RememberedSubscription[]): void {
    const text = `${JSON.stringify({ format: FORMAT, subscriptions }, null, 2)}\n`;
    try {
      makeStateFolder(this.#cwd);
      replaceFile(this.#path, text);
    } catch (thrown) {
      if (thrown instanceof HookporterError) throw thrown;
      throw damaged(`cannot be written: ${describeFileError(thrown)}`);
    }
  }
}

function isSame(one: RememberedSubscription, other: RememberedSubscription): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

function isFile(value: unknown): value is { subscriptions: readonly RememberedSubscription[] } {
  const { format, subscriptions } = (value ?? {}) as Record<string, unknown>;
  return format === FORMAT && Array.isArray(subscriptions) && subscriptions.every(isRemembered);
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
