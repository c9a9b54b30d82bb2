import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import { describeFileError } from "../../base/file-error.ts";
import { codeOf, describeError, HookporterError } from "../../errors.ts";
import { type Fixture, parseFixture } from "../../relay/fixture.ts";
import { exactSending } from "../../relay/replay.ts";
import type { CliContext } from "../context.ts";
import { readInput } from "../files/read-input.ts";
import { inputError } from "../input-errors.ts";

export interface NamedFixture {
  readonly name: string;
  readonly fixture: Fixture;
}

/** A fixture, or the error about a file that is none. */
type Found = NamedFixture | HookporterError;

const STDIN = "-";

/**
 * Reads the arguments of `replay`: files, folders (their .json files in name order), `-` for NDJSON on standard input,
 * else entries of the inbox. Throws `input_invalid`, `entry_unknown`; `fixture_invalid` if no fixture is left, or with
 * `failFast`.
 */
export async function gatherFixtures(
  what: readonly string[],
  options: { readonly inbox?: string; readonly exact?: boolean; readonly failFast?: boolean },
  context: CliContext,
) {
  const { inbox, exact, failFast } = options;
  const found: Found[] = [];
  for (const one of what) {
    if (one === "") throw inputError("expected a file, a folder or an entry, got an empty text: name one");
    const path = resolve(context.io.cwd, one);
    if (one === STDIN) found.push(...readLines(await readInput(context.io, STDIN), "standard input"));
    else if (existsSync(path)) found.push(...readPath(path, one));
    else if (/[/\\]|\.(nd)?json$/.test(one)) throw inputError(`${one}: no such file`);
    else found.push(await readEntry(one, inbox, context));
  }
  const usable = exact === true ? found.map(checkExact) : found;
  const broken = usable.filter((one) => one instanceof HookporterError);
  const fixtures = usable.filter((one): one is NamedFixture => !(one instanceof HookporterError));
  const [first] = broken;
  if (first !== undefined && (fixtures.length === 0 || failFast === true)) throw first;
  return { fixtures, broken };
}

/** An argument that is not a file may be an entry; if it is neither, the user may have meant either. */
async function readEntry(one: string, path: string | undefined, context: CliContext): Promise<NamedFixture> {
  const { findEntry, withInbox } = await import("../events/inbox.ts");
  try {
    return await withInbox(context, { inbox: path, access: "read" }, async (inbox) => {
      const { seq, key, kind } = await findEntry(inbox, one);
      const delivery = await inbox.delivery(seq);
      if (delivery === undefined)
        throw new HookporterError("entry_unknown", `entry ${seq} no longer has a delivery`);
      return { name: `${kind ?? "?"} ${key.eventId}`, fixture: { type: "delivery", delivery } };
    });
  } catch (thrown) {
    const code = thrown instanceof HookporterError ? codeOf(thrown) : undefined;
    if (code !== "entry_unknown" && code !== "inbox_unavailable") throw thrown;
    const text = `${one} is not a file, and as an entry: ${describeError(thrown)}`;
    throw new HookporterError(code, text, { cause: thrown });
  }
}

function readPath(path: string, given: string): readonly Found[] {
  if (!statSync(path).isDirectory()) return readFixtures(path);
  const files = readdirSync(path).filter((name) => name.endsWith(".json"));
  if (files.length === 0) throw inputError(`${given}: expected a folder with .json files, got one without`);
  return files.sort().flatMap((name) => readFixtures(join(path, name)));
}

function readFixtures(path: string): readonly Found[] {
  const name = basename(path);
  let bytes: Buffer;
  try {
    bytes = readFileSync(path);
  } catch (cause) {
    return [inputError(`${name} could not be read: ${describeFileError(cause)}`, cause)];
  }
  return name.endsWith(".ndjson") ? readLines(bytes, name) : [tryFixture(bytes, name)];
}

/** One fixture a line, as `events export` writes them. A body that is pretty-printed over lines is one fixture. */
function readLines(bytes: Buffer, name: string): readonly Found[] {
  const whole = tryFixture(bytes, name);
  if (!(whole instanceof HookporterError)) return [whole];
  const lines = bytes.toString("latin1").split("\n"); // latin1 keeps every byte
  return lines.flatMap((line, index) => {
    if (/^[ \t\r]*$/.test(line)) return [];
    return [tryFixture(Buffer.from(line, "latin1"), `${name}, line ${index + 1}`)];
  });
}

/** An envelope has no signature, so it cannot be sent as it is. */
function checkExact(one: Found): Found {
  if (one instanceof HookporterError) return one;
  return orError(() => {
    exactSending(one.fixture, one.name);
    return one;
  });
}

function tryFixture(bytes: Buffer, name: string): Found {
  return orError(() => ({ name, fixture: parseFixture(bytes, name) }));
}

function orError(make: () => NamedFixture): Found {
  try {
    return make();
  } catch (thrown) {
    if (thrown instanceof HookporterError) return thrown;
    throw thrown;
  }
}
