import { existsSync, readdirSync, statSync } from "node:fs";
import { basename, resolve } from "node:path";
import { codeOf, describeError, HookporterError } from "../../base/errors.ts";
import { describeFileError } from "../../base/file-error.ts";
import { counted } from "../../base/text/counted.ts";
import { type Fixture, parseFixture, readFixture } from "../../relay/fixture.ts";
import { exactSending } from "../../relay/replay.ts";
import type { CliContext } from "../context.ts";
import { readInFolder } from "../files/read-file.ts";
import { readInput, readNamed } from "../files/read-input.ts";
import { inputError } from "../input-errors.ts";
import { printable } from "../output.ts";

export interface NamedFixture {
  readonly name: string;
  readonly fixture: Fixture;
}

/** A fixture, or the error about a file that is none. */
type FoundFixture = NamedFixture | HookporterError;

/** How many files that are left out are named. */
const NAMED = 5;

const STDIN = "-";

/**
 * Reads the arguments of `replay`: files, folders (their .json files in name order), `-` for NDJSON
 * on standard input, else entries of the inbox. Files in folders that hold no webhook are left out,
 * which is said. Throws `input_invalid`, `entry_unknown`; `fixture_invalid` if no fixture is left,
 * or with `failFast`.
 */
export async function gatherFixtures(
  what: readonly string[],
  options: { readonly inbox?: string; readonly exact?: boolean; readonly failFast?: boolean },
  context: CliContext,
) {
  const { inbox, exact, failFast } = options;
  const found: FoundFixture[] = [];
  for (const text of what) {
    if (text === "")
      throw inputError("expected a file, a folder or an entry, got an empty text: name one");
    const path = resolve(context.io.cwd, text);
    if (text === STDIN)
      found.push(...readLines(await readInput(context.io, STDIN), "standard input"));
    else if (existsSync(path)) found.push(...(await readPath(path, text, context)));
    else if (/[/\\]|\.(nd)?json$/.test(text)) throw inputError(`${text}: no such file`);
    else found.push(await readEntry(text, inbox, context));
  }
  const usable = exact === true ? found.map(checkExact) : found;
  const broken = usable.filter((found) => found instanceof HookporterError);
  const fixtures = usable.filter(
    (found): found is NamedFixture => !(found instanceof HookporterError),
  );
  const [first] = broken;
  if (first !== undefined && (fixtures.length === 0 || failFast === true)) throw first;
  return { fixtures, broken };
}

/**
 * An argument that is not a file may be an entry; if it is neither, the user may have meant either.
 */
async function readEntry(
  word: string,
  path: string | undefined,
  context: CliContext,
): Promise<NamedFixture> {
  const { findEntry, withInbox } = await import("../events/inbox.ts");
  try {
    return await withInbox(context, { inbox: path, access: "read" }, async (inbox) => {
      const { seq, key, kind } = await findEntry(inbox, word);
      const delivery = await inbox.delivery(seq);
      if (delivery === undefined)
        throw new HookporterError("entry_unknown", `entry ${seq} no longer has a delivery`);
      return { name: `${kind ?? "?"} ${key.eventId}`, fixture: { type: "delivery", delivery } };
    });
  } catch (thrown) {
    const code = thrown instanceof HookporterError ? codeOf(thrown) : undefined;
    if (code !== "entry_unknown" && code !== "inbox_unavailable") throw thrown;
    const text = `${word} is not a file, and as an entry: ${describeError(thrown)}`;
    throw new HookporterError(code, text, { cause: thrown });
  }
}

async function readPath(
  path: string,
  given: string,
  context: CliContext,
): Promise<readonly FoundFixture[]> {
  return statSync(path).isDirectory() ? readFolder(path, given, context) : readFile(path);
}

/**
 * A folder may hold other files, such as a package.json: unlike a file that was named, they are not
 * meant. Nor is a file outside, where a link leads: the folder's author may have no right to it.
 */
function readFolder(path: string, given: string, { output }: CliContext): readonly FoundFixture[] {
  const files = readdirSync(path).filter((name) => name.endsWith(".json"));
  if (files.length === 0)
    throw inputError(`${given}: expected a folder with .json files, got one without`);
  const leftOut: string[] = [];
  const outside: string[] = [];
  const found = files.sort().flatMap((name): readonly FoundFixture[] => {
    const read = orUnreadable(name, () => readInFolder(path, name));
    if (read instanceof HookporterError) return [read];
    if (read === undefined) {
      outside.push(name);
      return [];
    }
    const fixture = tryRead(read, name);
    if (fixture instanceof HookporterError) return [fixture];
    if (fixture.type !== "none") return [{ name, fixture }];
    leftOut.push(name);
    return [];
  });
  const lists = [
    countedNames(leftOut, "file", "files", "without a webhook"),
    countedNames(outside, "link", "links", "that lead out of the folder"),
  ].filter((list) => list !== undefined);
  if (lists.length > 0 && found.length === 0)
    throw inputError(
      `${given}: expected a folder with saved deliveries or envelopes, got ${lists.join(" and ")}`,
    );
  for (const list of lists) output.talk(`left out ${list}`);
  return found;
}

function countedNames(names: readonly string[], one: string, many: string, which: string) {
  if (names.length === 0) return undefined;
  const more = names.length > NAMED ? " …" : "";
  const listed = printable(`${names.slice(0, NAMED).join(", ")}${more}`, 500);
  return `${counted(names.length, one, many)} ${which}: ${listed}`;
}

async function readFile(path: string): Promise<readonly FoundFixture[]> {
  const name = basename(path);
  const bytes = await readNamed(path).catch((cause) => unreadable(name, cause));
  if (bytes instanceof HookporterError) return [bytes];
  return name.endsWith(".ndjson") ? readLines(bytes, name) : [tryFixture(bytes, name)];
}

function orUnreadable<Value>(name: string, read: () => Value): Value | HookporterError {
  try {
    return read();
  } catch (cause) {
    return unreadable(name, cause);
  }
}

function unreadable(name: string, cause: unknown): HookporterError {
  return inputError(`${name} could not be read: ${describeFileError(cause)}`, cause);
}

/**
 * One fixture a line, as `events export` writes them. A body that is pretty-printed over lines is
 * one fixture.
 */
function readLines(bytes: Buffer, name: string): readonly FoundFixture[] {
  if (!(tryRead(bytes, name) instanceof HookporterError)) return [tryFixture(bytes, name)];
  const lines = bytes.toString("latin1").split("\n"); // latin1 keeps every byte
  return lines.flatMap((line, index) => {
    if (/^[ \t\r]*$/.test(line)) return [];
    return [tryFixture(Buffer.from(line, "latin1"), `${name}, line ${index + 1}`)];
  });
}

/** An envelope has no signature, so it cannot be sent as it is. */
function checkExact(found: FoundFixture): FoundFixture {
  if (found instanceof HookporterError) return found;
  return orError(() => {
    exactSending(found.fixture, found.name);
    return found;
  });
}

function tryFixture(bytes: Buffer, name: string): FoundFixture {
  return orError(() => ({ name, fixture: parseFixture(bytes, name) }));
}

function tryRead(bytes: Buffer, name: string): ReturnType<typeof readFixture> | HookporterError {
  return orError(() => readFixture(bytes, name));
}

function orError<Value>(make: () => Value): Value | HookporterError {
  try {
    return make();
  } catch (thrown) {
    if (thrown instanceof HookporterError) return thrown;
    throw thrown;
  }
}
