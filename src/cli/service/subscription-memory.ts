import { appendFileSync, closeSync, constants, openSync } from "node:fs";
import { join } from "node:path";
import * as z from "zod";
import { readText } from "../../base/system/files.ts";
import { unusable, withFileErrors } from "../../base/unusable.ts";
import { makeStateFolder, STATE_FOLDER } from "../files/state-folder.ts";
import { inputError } from "../input-errors.ts";

const rememberedSchema = z.object({
  /** `wh_…` if the service's response contained an id. */
  id: z.string().nullable(),
  url: z.string(),
  /** The kinds, in the order of the service's description. */
  events: z.array(z.string()),
  /** The service, and whose data there. */
  baseUrl: z.string(),
  environment: z.enum(["test", "live", "unknown"]),
  /** Identifies the secret without revealing it. */
  secretFingerprint: z.string(),
  /** The tunnel that the URL belonged to; its address may change with each run. */
  tunnel: z.string().nullable(),
  /** ISO 8601, UTC. */
  createdAt: z.string(),
});

export type RememberedSubscription = Readonly<z.infer<typeof rememberedSchema>>;

const FORMAT = "hookporter-subscription/1";

/**
 * One line of the file. Versions up to 0.2 also wrote lines that forget one, and subscriptions that
 * may not exist.
 */
const lineSchema = z.object({
  format: z.literal(FORMAT),
  change: z.enum(["add", "forget"]),
  subscription: rememberedSchema.extend({ state: z.string().optional() }),
});

/** The file of remembered subscriptions, relative to the working folder. */
export const SUBSCRIPTIONS_FILE = join(STATE_FOLDER, "subscriptions.ndjson");

/**
 * The subscriptions created from a folder, oldest first. The API shows no way to list them, so this
 * is the only record of those that must be removed by hand. Throws `input_invalid` for a damaged
 * file, whose content must not be lost silently.
 */
export function rememberedSubscriptions(cwd: string): readonly RememberedSubscription[] {
  let known: readonly RememberedSubscription[] = [];
  for (const line of read(join(cwd, SUBSCRIPTIONS_FILE)).split("\n")) {
    if (line.trim() === "") continue;
    const { change, subscription } = readLine(line);
    const { state, ...remembered } = subscription;
    if (change === "forget")
      known = known.filter((other) => JSON.stringify(other) !== JSON.stringify(remembered));
    else if (state !== "unconfirmed") known = [...known, remembered];
  }
  return known;
}

/**
 * Adds a line, in a single write, which the system does not mix with another process's. Only its
 * owner can read the file, and a symbolic link is not followed.
 */
export function remember(cwd: string, subscription: RememberedSubscription): void {
  const path = join(cwd, SUBSCRIPTIONS_FILE);
  const before = read(path);
  const { O_APPEND, O_CREAT, O_WRONLY, O_NOFOLLOW = 0 } = constants;
  makeStateFolder(cwd);
  withFileErrors(path, () => {
    const file = openSync(path, O_APPEND | O_CREAT | O_WRONLY | O_NOFOLLOW, 0o600);
    // an editor may have removed the last line end
    const start = before === "" || before.endsWith("\n") ? "" : "\n";
    appendFileSync(
      file,
      `${start}${JSON.stringify({ format: FORMAT, change: "add", subscription })}\n`,
    );
    closeSync(file);
  });
}

/** The file's text; empty if there is no file yet. */
function read(path: string): string {
  try {
    return readText(path);
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code === "ENOENT") return "";
    throw unusable(path, thrown);
  }
}

function readLine(line: string): z.infer<typeof lineSchema> {
  try {
    return lineSchema.parse(JSON.parse(line));
  } catch {
    throw inputError(
      `${SUBSCRIPTIONS_FILE} was changed by something other than hookporter: fix it, or look up in the service's ` +
        "administration interface which subscriptions exist, and remove the file",
    );
  }
}
