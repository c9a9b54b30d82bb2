import { isEventKind } from "../../event/kinds.ts";
import { formatTimestamp } from "../../event/timestamp.ts";
import { type Block, blockText, readParts } from "./block.ts";
import { placeOf } from "./data-type.ts";
import { schemaName, typeName } from "./identifiers.ts";
import { inOrder, type Learned, type LearnedKind } from "./shape.ts";
import { typescriptText } from "./write-typescript.ts";
import { zodText } from "./write-zod.ts";

export type SchemaFormat = "zod" | "typescript";

export interface SchemaStyle {
  readonly format: SchemaFormat;
  /**
   * Whether schemas refuse what has the right type, but another format than what was learned.
   * Default: they do not.
   */
  readonly strict?: boolean | undefined;
}

/** With fewer events than this, a schema is likely to be too narrow. */
export const ENOUGH_EVENTS = 20;

/**
 * The name of the block that has all schemas by kind, and that of the kinds beyond those that this
 * version knows.
 */
const ALL = "schemas";
const OTHERS = "otherKinds";

const ABOUT = `// What \`data\` holds by event kind, learned from events by \`npx hookporter types\`. Edit what you
// know better: \`npx hookporter types --merge\` keeps what you edited, and code of your own between
// the blocks.
`;

const HEADERS: Readonly<Record<SchemaFormat, string>> = {
  zod: `${ABOUT}import * as z from "zod";\n\n`,
  typescript: `${ABOUT}\n`,
};

/** Returns a new source file with a schema, or a type, for each kind. */
export function writeSchemas(learned: Learned, style: SchemaStyle): string {
  const blocks = [
    ...kindBlocks(learned, style),
    ...listBlocks([...learned.keys()].sort(), style.format),
  ];
  return HEADERS[style.format] + blocks.map(blockText).join("\n");
}

/** Which blocks of a file were edited, and whether there is anything but blocks. */
export function handWritten(source: string, format: SchemaFormat) {
  const parts = readParts(source);
  const plain = parts.map(({ block, source: text }) => (block === undefined ? text.trim() : ""));
  return {
    edited: parts.flatMap(({ block, isEdited }) =>
      block !== undefined && isEdited ? [block.name] : [],
    ),
    hasOwnCode: plain.some((text) => text !== "" && text !== HEADERS[format].trim()),
  };
}

/** A block that somebody edited: its text, and the text that it would have been given. */
export interface EditedBlock {
  readonly name: string;
  readonly own: string;
  readonly learned: string;
}

/**
 * Replaces the blocks of a file by what was learned, and adds those of new kinds. Blocks that were
 * edited are left alone, and so are those of kinds of which nothing was learned. In a file without
 * `otherKinds`, which no program passes on, such kinds are left out of the list, so that the
 * program still compiles and starts.
 */
export function mergeSchemas(source: string, learned: Learned, style: SchemaStyle) {
  const parts = readParts(source);
  const found = parts.flatMap(({ block }) => (block === undefined ? [] : [block.name]));
  const kinds = [
    ...new Set([...found.filter((name) => name !== ALL && name !== OTHERS), ...learned.keys()]),
  ].sort();
  const lists = takesOthers(source, style.format)
    ? listBlocks(kinds, style.format)
    : listBlocks(kinds.filter(isEventKind), style.format).filter(({ name }) => name !== OTHERS);
  const blocks = new Map(
    [...kindBlocks(learned, style), ...lists].map((block) => [block.name, block]),
  );
  const added = [...blocks.values()].filter(({ name }) => !found.includes(name));
  const texts: string[] = [];
  const edited: EditedBlock[] = [];
  for (const { source: text, block, isEdited } of parts) {
    // The list of all schemas names them, so it stays the last.
    if (block?.name === ALL) texts.push(...added.splice(0).map((block) => `${blockText(block)}\n`));
    const learnedBlock = block === undefined ? undefined : blocks.get(block.name);
    if (learnedBlock !== undefined && !isEdited) texts.push(blockText(learnedBlock));
    else texts.push(text);
    if (block !== undefined && learnedBlock !== undefined && isEdited)
      edited.push({ name: block.name, own: block.text, learned: learnedBlock.text });
  }
  for (const block of added) texts.push(`\n${blockText(block)}`);
  return { text: texts.join(""), edited };
}

/**
 * Whether a file lists the kinds beyond those that this version knows, so that a program can pass
 * them on.
 */
export function takesOthers(source: string, format: SchemaFormat): boolean {
  return format === "typescript" || /\botherKinds\b/.test(source);
}

function kindBlocks(learned: Learned, { format, strict = false }: SchemaStyle): readonly Block[] {
  return inOrder(learned).map(([kind, known]) => {
    const schema = schemaName(kind);
    const type = typeName(kind);
    const place = placeOf(known.shape);
    const zod = () =>
      `export const ${schema} = ${zodText(place, strict)};\n\n` +
      `/** \`data\` of \`${kind}\` events. */\n` +
      `export type ${type} = z.infer<typeof ${schema}>;\n`;
    const text =
      format === "zod" ? zod() : `export type ${type} = ${typescriptText(place, strict)};\n`;
    return { name: kind, text: `/** ${restsOn(kind, known)} */\n${text}` };
  });
}

/** The blocks at the end of a file. */
function listBlocks(kinds: readonly string[], format: SchemaFormat): readonly Block[] {
  const members = (nameOf: (kind: string) => string, end: string) =>
    kinds.map((kind) => `  ${JSON.stringify(kind)}: ${nameOf(kind)}${end}\n`).join("");
  if (format === "typescript") {
    const types = `export interface DataByKind {\n${members(typeName, ";")}}\n`;
    return [{ name: ALL, text: `/** The types of \`data\` by event kind. */\n${types}` }];
  }
  const comment = "/** The schemas by event kind, as the option `schemas` takes them. */\n";
  const all = `${comment}export const schemas = {\n${members(schemaName, ",")}};\n`;
  const others = kinds.filter((kind) => !isEventKind(kind)).map((kind) => JSON.stringify(kind));
  const text = `/** Kinds that hookporter does not know, as the option \`otherKinds\` takes them. */\nexport const otherKinds = [${others.join(", ")}] as const;\n`;
  return [
    { name: OTHERS, text },
    { name: ALL, text: all },
  ];
}

/** What a kind's schema rests on, and a warning if that is little. */
export function restsOn(kind: string, { events, first }: LearnedKind): string {
  const since = formatTimestamp(first).slice(0, "2026-01-01".length);
  const few = events < ENOUGH_EVENTS ? " Few events: fields and types may be missing." : "";
  return `\`data\` of \`${kind}\`, learned from ${events} ${events === 1 ? "event" : "events"} since ${since}.${few}`;
}
