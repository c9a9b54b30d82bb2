import { posix } from "node:path";
import type { App } from "./app.ts";
import { afterBracket, codeOf, type Insertion, insertLines, nextLine, onlyMatch } from "./code.ts";
import type { OwnFiles } from "./own-files.ts";

/** A line to add by hand, and where. */
export interface ToDo {
  readonly where: string;
  readonly line: string;
}

interface Mounts {
  /** Texts of files by their paths, new or with inserted lines. */
  readonly texts: ReadonlyMap<string, string>;
  readonly toDo: readonly ToDo[];
}

/** Statements that make an app, up to the bracket of their call. */
const EXPRESS_APP = /^([ \t]*)(?:export )?(?:const|let|var) (\w+)(?:: [\w.]+)? = express\(/gm;
const NEST_APP =
  /^([ \t]*)(?:const|let|var) (\w+)(?:: [\w.]+)? = await NestFactory\.create(?:<[\w.]+>)?\(/gm;
const LISTENS = /^([ \t]*)(?:(?:const|let|var) \w+ = )?(await )?[\w.]+(?:\(\w*\))?\.listen\(/gm;
const IMPORT =
  /^import\s(?:(?!^import\s)[^"'();])*["'][^"'\n]*["'](?: with \{[^}\r\n\u2028\u2029]*\})?;?[ \t]*$/gm;
const REQUIRE =
  /^(?:const|let|var) [^=\r\n\u2028\u2029]+ = require\(["'][^"'\n]*["']\)[^,\r\n\u2028\u2029]*$(?!\s*[.,([])/gm;

const BEFORE_BODIES = "// Before anything that reads bodies: the signature covers the raw bytes.";
const WHERE_BODIES = "after the app is made, before anything that reads bodies";
const WHERE_START = "before the server listens";

/** Inserts lines if the code is of a usual kind, and otherwise says which and where. */
export function mountReceiver(app: App, home: string, own: OwnFiles): Mounts {
  if (app.framework === "Next.js") return inNext(app, own);
  if (app.framework === "Express" || app.framework === "NestJS") return inExpress(app, home);
  const isHono = app.framework === "Hono";
  const adapter = isHono ? "fetch" : "fastify";
  const fastify = app.framework === "Fastify" ? "app" : "app.getHttpAdapter().getInstance()";
  const from = `./${home.slice(app.base.length)}/receiver${app.suffix}`;
  const use = isHono
    ? `app.all("/webhooks", (context) => fetchReceiver(receiver())(context.req.raw));`
    : `${fastify}.register(fastifyReceiver(receiver()));`;
  return {
    texts: new Map(),
    toDo: [
      { where: "imports", line: importLine([`${adapter}Receiver`], `hookporter/${adapter}`) },
      { where: "imports", line: importLine(["receiver", "startReceiver"], from) },
      { where: isHono ? WHERE_BODIES : "after the app is made", line: use },
      { where: WHERE_START, line: "await startReceiver();" },
    ],
  };
}

/** The lines of one name that an app imports, and their place in one of its files. */
interface MountStep extends Insertion {
  readonly path: string;
  readonly name: "webhooks" | "startReceiver";
}

function inExpress(app: App, home: string): Mounts {
  const steps = [mountStep(app), startStep(app)].filter((step) => step !== undefined);
  const texts = new Map<string, string>();
  for (const [path, { text, code }] of app.sources) {
    const own = steps.filter((step) => step.path === path);
    const style = styleOf(code);
    if (own.length === 0 || style === undefined) continue;
    const names = own.map(({ name }) => name).sort();
    const line = importLine(names, specifier(path, home, app), style);
    texts.set(path, insertLines(text, [{ at: style.at, lines: [line] }, ...own]));
  }
  const missing = (["webhooks", "startReceiver"] as const).filter((wanted) =>
    steps.every(({ name }) => name !== wanted),
  );
  const from = specifier(`${app.base}app`, home, app);
  const style = { ...USUAL, isModule: app.extension !== ".mjs" };
  const byHand = {
    webhooks: { where: WHERE_BODIES, line: 'app.use("/webhooks", webhooks);' },
    startReceiver: { where: WHERE_START, line: "startReceiver();" },
  };
  return {
    texts,
    toDo: [
      ...(missing.length === 0
        ? []
        : [{ where: "imports", line: importLine(missing, from, style) }]),
      ...missing.map((name) => byHand[name]),
    ],
  };
}

function mountStep({ framework, sources }: App): MountStep | undefined {
  const isNest = framework === "NestJS";
  const made = isNest
    ? onlyPlace(sources, NEST_APP, /\bNestFactory\./g)
    : onlyPlace(sources, EXPRESS_APP, /\bexpress\(/g);
  const style = made && styleOf(made.code);
  const closed = made && afterBracket(made.code, made.at + made.found[0].length);
  if (!style || !closed || !/^;?[ \t]*$/m.test(made.code.slice(closed).split("\n", 1)[0] ?? ""))
    return undefined;
  const [, indent = "", name] = made.found;
  const use = `${name}.use(${style.quote}/webhooks${style.quote}, webhooks)${style.end}`;
  const lines = [indent + BEFORE_BODIES, indent + use];
  return { path: made.path, name: "webhooks", at: nextLine(made.code, closed), lines };
}

function startStep({ extension, sources }: App): MountStep | undefined {
  const listens = onlyPlace(sources, LISTENS, /\.listen\(/g);
  const style = listens && styleOf(listens.code);
  if (!style || !beginsStatement(listens.code.slice(0, listens.at), listens.found[1] ?? ""))
    return undefined;
  const [, indent = "", awaited = extension === ".ts" ? "void " : ""] = listens.found;
  const lines = [`${indent}${awaited}startReceiver()${style.end}`];
  return { path: listens.path, name: "startReceiver", at: listens.at, lines };
}

/** Where a statement is, if no other place of all files has what is typical of it. */
function onlyPlace(sources: App["sources"], statement: RegExp, typical: RegExp) {
  const all = [...sources].flatMap(([path, { code }]) =>
    [...code.matchAll(typical)].map(() => ({ path, code, found: onlyMatch(code, statement) })),
  );
  const [found] = all;
  if (all.length !== 1 || found?.found === undefined) return undefined;
  return { ...found, found: found.found, at: found.found.index };
}

/**
 * Whether a line begins a statement, from what is before it: lines in a block, or after a line that
 * looks complete.
 */
function beginsStatement(before: string, indent: string): boolean {
  const code = before.trimEnd();
  if (code === "" || /[;{}]$/.test(code)) return true;
  const last = code.slice(code.lastIndexOf("\n") + 1);
  const goesOn = /^\s*(?:[)\].?:]|(?:\} ?)?(?:if|else|for|while|do|return|with)\b)/.test(last);
  return /[\w$)\]"']$/.test(code) && !goesOn && /^\s*/.exec(last)?.[0] === indent;
}

interface Style {
  readonly quote: string;
  /** What a statement ends with: a semicolon or nothing. */
  readonly end: string;
  readonly isModule: boolean;
}

const USUAL: Style = { quote: '"', end: ";", isModule: true };

/**
 * How a file imports, and where the next import goes; `undefined` if it imports nothing in a usual
 * way.
 */
function styleOf(code: string): (Style & { readonly at: number }) | undefined {
  const imported = [...code.matchAll(IMPORT)].at(-1);
  const [required] = code.matchAll(REQUIRE);
  const found = imported ?? required;
  if (found === undefined) return undefined;
  const [line] = found;
  const quote = line.includes("'") ? "'" : '"';
  const end = line.trimEnd().endsWith(";") ? ";" : "";
  return {
    quote,
    end,
    isModule: imported !== undefined,
    at: nextLine(code, found.index + line.length),
  };
}

function importLine(names: readonly string[], from: string, style: Style = USUAL): string {
  const { quote, end, isModule } = style;
  const list = `{ ${names.join(", ")} }`;
  const module = quote + from + quote;
  return isModule
    ? `import ${list} from ${module}${end}`
    : `const ${list} = require(${module})${end}`;
}

function specifier(path: string, home: string, { suffix }: App): string {
  const way = posix.relative(posix.dirname(path), `${home}/endpoint${suffix}`);
  return way.startsWith(".") ? way : `./${way}`;
}

function inNext({ base, extension, read }: App, own: OwnFiles): Mounts {
  const start = own.instrumentation.split("\n");
  const config = own.nextConfig.split("\n");
  // Files that Next.js reads: a new one, or lines after the one that opens a block, unless the code
  // has them already.
  const files = [
    {
      fresh: `${base}instrumentation${extension}`,
      paths: [`${base}instrumentation.ts`, `${base}instrumentation.js`],
      text: own.instrumentation,
      lines: start.slice(
        start.findIndex((line) => line.startsWith("export ")) + 1,
        start.lastIndexOf("}"),
      ),
      opening: /^export async function register\(\)[ \w:<>]*\{[ \t]*$/gm,
      taken: /\bstartReceiver\b/,
      where: "in register()",
    },
    {
      fresh: `next.config${extension === ".ts" ? ".ts" : ".mjs"}`,
      paths: ["next.config.ts", "next.config.mjs", "next.config.js"],
      text: own.nextConfig,
      lines: config.filter((line) => line.includes("serverExternalPackages")),
      opening: /^(?:const \w+(?:: \w+)? = |module\.exports = |export default )\{[ \t]*$/gm,
      taken: /\bserverExternalPackages\b/,
      where: "in the configuration",
    },
  ];
  const texts = new Map<string, string>();
  const toDo: ToDo[] = [];
  for (const { fresh, paths, text, lines, opening, taken, where } of files) {
    const path = [fresh, ...paths].find((text) => read(text) !== undefined);
    const before = path === undefined ? "" : (read(path) ?? "");
    const code = codeOf(before);
    const found = onlyMatch(code, opening);
    if (path === undefined) texts.set(fresh, text);
    else if (found === undefined || taken.test(code))
      toDo.push(...lines.map((line) => ({ where: `${path}, ${where}`, line: line.trim() })));
    else texts.set(path, insertLines(before, [{ at: nextLine(code, found.index), lines }]));
  }
  return { texts, toDo };
}
