import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import { describeError, HookporterError } from "../../errors.ts";
import { type Fixture, parseFixture } from "../../relay/fixture.ts";
import type { CliContext } from "../context.ts";
import { describeFileError } from "../files/file-error.ts";

/** A fixture and its label. */
export interface NamedFixture {
  readonly name: string;
  readonly fixture: Fixture;
}

/**
 * Reads the arguments of `replay`: files, folders (their .json files in name order), else entries of the inbox.
 *
 * @throws HookporterError `input_invalid`, `fixture_invalid`, `entry_unknown`
 */
export async function gatherFixtures(
  what: readonly string[],
  { inbox }: { readonly inbox?: string },
  context: CliContext,
): Promise<readonly NamedFixture[]> {
  const found: NamedFixture[] = [];
  for (const one of what) {
    const path = resolve(context.io.cwd, one);
    if (existsSync(path)) found.push(...readPath(path, one));
    else if (/[/\\]|\.json$/.test(one)) throw new HookporterError("input_invalid", `${one}: no such file`);
    else found.push(await readEntryNotFile(one, inbox, context));
  }
  return found;
}

/** An argument that is not a file may be an entry; if it is neither, the user may have meant either. */
async function readEntryNotFile(
  one: string,
  inbox: string | undefined,
  context: CliContext,
): Promise<NamedFixture> {
  try {
    return await readEntry(one, inbox, context);
  } catch (thrown) {
    const code = thrown instanceof HookporterError ? thrown.code : undefined;
    if (code !== "entry_unknown" && code !== "inbox_unavailable") throw thrown;
    const text = `${one} is not a file, and as an entry: ${describeError(thrown)}`;
    throw new HookporterError(code, text, { cause: thrown });
  }
}

function readPath(path: string, given: string): readonly NamedFixture[] {
  if (!statSync(path).isDirectory()) return [readFixture(path)];
  const files = readdirSync(path).filter((name) => name.endsWith(".json"));
  if (files.length === 0) {
    throw new HookporterError(
      "input_invalid",
      `${given}: expected a folder with .json files, got one without`,
    );
  }
  return files.sort().map((name) => readFixture(join(path, name)));
}

function readFixture(path: string): NamedFixture {
  const name = basename(path);
  let bytes: Buffer;
  try {
    bytes = readFileSync(path);
  } catch (cause) {
    throw new HookporterError("input_invalid", `${name} could not be read: ${describeFileError(cause)}`, {
      cause,
    });
  }
  return { name, fixture: parseFixture(bytes, name) };
}

async function readEntry(
  reference: string,
  path: string | undefined,
  context: CliContext,
): Promise<NamedFixture> {
  const { findEntry, withInbox } = await import("../events/inbox.ts");
  return withInbox(context, { inbox: path, access: "read" }, async (inbox) => {
    const { seq, key, kind } = await findEntry(inbox, reference);
    const delivery = await inbox.delivery(seq);
    if (delivery === undefined)
      throw new HookporterError("entry_unknown", `entry ${seq} no longer has a delivery`);
    return { name: `${kind ?? "?"} ${key.eventId}`, fixture: { type: "delivery", delivery } };
  });
}
