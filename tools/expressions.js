// Looks for regular expressions of src/ that may take much longer for twice the text: such a text
// from a stranger stops the process. `node tools/expressions.js` looks at all, `node
// tools/expressions.js FILE…` at those of some files.
//
// One that stays has a comment in the line above it which says what its text is cut to, such as
// `// At most 500 characters: the slice above.`
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { check } from "recheck";
import { parseAst } from "rolldown/parseAst";

const root = join(import.meta.dirname, "..");
const cache = join(root, "node_modules", ".cache", "hookporter");
const known = join(cache, "expressions.json");
const CUT = /^\s*\/\/ At most [\d ]+ characters: \S/;
/** Milliseconds for one expression; one that takes longer counts as slow. */
const TIMEOUT = 20_000;

const named = process.argv.slice(2);
const { slow, cut, count } = await slowExpressions(named.length > 0 ? named : sources());
for (const { place, text, why } of slow)
  console.log(
    `${place}: expected an expression whose time grows with its text, got ${text} (${why}): write it otherwise, or cut the text and say so in the line above`,
  );
console.log(`${count} expressions, ${slow.length} slow, ${cut.length} of cut text`);
process.exit(slow.length > 0 ? 1 : 0); // recheck's own process would stay

function sources() {
  return readdirSync(join(root, "src"), { recursive: true })
    .filter((file) => /(?<!\.d)\.tsx?$/.test(file))
    .map((file) => join(root, "src", file));
}

/** The slow expressions of files: those without a cut, and those with one. */
async function slowExpressions(files) {
  const results = readResults();
  const expressions = files.flatMap(expressionsOf);
  const slow = [];
  const cut = [];
  for (const expression of expressions) {
    const { pattern, flags, isCut } = expression;
    const key = `/${pattern}/${flags}`;
    results[key] ??= await resultOf(pattern, flags);
    if (results[key] === "safe") continue;
    (isCut ? cut : slow).push({ ...expression, why: results[key] });
  }
  mkdirSync(cache, { recursive: true });
  writeFileSync(known, JSON.stringify(results));
  return { slow, cut, count: expressions.length };
}

async function resultOf(pattern, flags) {
  if (pattern === undefined) return "not known before it runs";
  const { status, complexity, attack } = await check(pattern, flags, { timeout: TIMEOUT });
  if (status === "safe") return status;
  return `${complexity?.summary ?? status}, for ${attack?.pattern ?? "an unknown text"}`;
}

function readResults() {
  try {
    return JSON.parse(readFileSync(known, "utf8"));
  } catch {
    return {};
  }
}

function expressionsOf(file) {
  const source = readFileSync(file, "utf8");
  const lines = source.split("\n");
  const found = [];
  visit(parseAst(source, { lang: file.endsWith("x") ? "tsx" : "ts" }));
  return found;

  function visit(node) {
    if (node === null || typeof node !== "object") return;
    const expression = expressionIn(node);
    if (expression !== undefined) {
      const line = source.slice(0, node.start).split("\n").length;
      const isCut = CUT.test(lines[line - 2] ?? "");
      const text = source.slice(node.start, node.end);
      found.push({ ...expression, text, isCut, place: `${relative(root, file)}:${line}` });
    }
    for (const child of Object.values(node)) visit(child);
  }
}

/** An expression that is written down, or made of a text; a part that varies counts as `x`. */
function expressionIn(node) {
  if (node.regex !== undefined) return node.regex;
  const isMade = /^(?:New|Call)Expression$/.test(node.type) && node.callee.name === "RegExp";
  if (!isMade) return undefined;
  const [text, flags] = node.arguments;
  return { pattern: patternOf(text), flags: flags?.value ?? "" };
}

function patternOf({ type, value, quasis, callee, arguments: given }) {
  if (type === "TemplateLiteral") return quasis.map((part) => part.value.cooked).join("x");
  if (typeof value === "string") return value;
  // a list of alternatives
  if (callee?.property?.name === "join" && given[0].value === "|")
    return callee.object.elements.map(rawText).join("|");
  // a text whose every special character is escaped
  return given?.[1]?.value === "\\$&" ? "x" : undefined;
}

/** The text of String.raw`…`. */
function rawText({ quasi }) {
  return quasi.quasis.map((part) => part.value.raw).join("x");
}
