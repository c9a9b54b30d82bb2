import { contributorPages, pagesIn, readPage } from "./markdown.ts";

/** A block of shell commands on a page. */
export interface ShellBlock {
  /** Where it is, such as `docs/metrics.md:6`. */
  readonly place: string;
  readonly code: string;
  /**
   * Why it is not run: the text of `<!-- skip: … -->` above it, or that its section needs a clone.
   */
  readonly skip: string | undefined;
  /** The exit code that the text promises: `<!-- exit: … -->`. */
  readonly exit: string;
}

/** Other tests follow these pages from top to bottom, or run their commands in their order. */
const FOLLOWED = /^docs\/(?:guides|quickstart)\//;

/** The heading under which all commands need a clone of the repository. */
const CLONE = "## From a clone";

/** The pages whose commands a user types: those for contributors are about a clone. */
export function userPages(): readonly string[] {
  return ["README.md", ...pagesIn("docs")].filter((page) => !contributorPages().includes(page));
}

/** The blocks of all pages that no other test follows. */
export function shellBlocks(): readonly ShellBlock[] {
  const pages = userPages().filter((page) => !FOLLOWED.test(page));
  const blocks = pages.flatMap((page) => blocksOf(page, readPage(page)));
  // operations-page.test.ts runs those of the incidents, with their exit codes and output.
  return blocks.filter(
    ({ place, code }) => !place.startsWith("docs/operations.md:") || !code.includes("npx "),
  );
}

/** The blocks of one page. */
export function blocksOf(page: string, text: string): readonly ShellBlock[] {
  const found = text.matchAll(
    /(?:^ *<!-- (skip|exit): (.*) -->\n)?^( *)```sh\n([\s\S]*?)^ *```$/gm,
  );
  return [...found].map((match) => {
    const [whole, order, value = "", indent = "", code = ""] = match;
    const before = text.slice(0, match.index + whole.indexOf("```"));
    const isClone = before
      .split(/^(?=## )/m)
      .at(-1)
      ?.startsWith(CLONE);
    const marked = order === "skip" ? value : undefined;
    return {
      place: `${page}:${before.split("\n").length}`,
      code: code.replaceAll(new RegExp(`^${indent}`, "gm"), ""),
      skip: isClone ? "a clone of the repository" : marked,
      exit: order === "exit" ? value : "0",
    };
  });
}

/** What the pages write instead of a reader's own addresses, folders and signatures. */
const EXAMPLES: readonly (readonly [string, string])[] = [
  ["hookporter@latest", "hookporter"],
  ["https://app.example/", "http://127.0.0.1:3000/"],
  ['"sha256=…"', '"$(npx hookporter sign body.json)"'],
  ["sha256=$DIGEST", "$(npx hookporter sign body.json)"],
  ["@db.example.com/", "@127.0.0.1/"],
  [" /backups/", " backups/"],
];

/** A program that goes on, and what it prints once it is ready. */
const GOES_ON = /^npx hookporter (?:listen|sandbox)\b(?!.*&$)/;
const READY = "/webhooks";

/** Waits until each event that `listen` kept has ended `done`; prints those that have not. */
const ALL_DONE = [
  `ids() { grep "$1" listen.ndjson | grep -o '"id":"[^"]*"' | sort -u; }`,
  `left() { comm -23 <(ids '"verdict":"accepted"') <(ids '"type":"attempt".*"state":"handled"'); }`,
  `for i in {1..100}; do [ -z "$(left)" ] && break; sleep 0.2; done`,
  `left && [ -z "$(left)" ]`,
].join("; ");

/**
 * A page that does what the block says, with what it needs running: an app, a `listen`, the
 * sandbox, PostgreSQL.
 */
export function pageOf({ code, exit }: ShellBlock): string {
  const own = EXAMPLES.reduce((text, [from, to]) => text.replaceAll(from, to), code);
  const steps: string[] = ["<!-- run: cp -r ../scene/. . -->"];
  let started = 0;
  const start = (command: string, until: string) => {
    started++;
    steps.push(`<!-- until: ${until} -->\n\`\`\`sh\n${command}\n\`\`\``);
  };
  for (const port of own.match(/\b300[01]\b/g)?.slice(0, 1) ?? [])
    start(`PORT=${port} node --env-file=.env app.mjs`, "ready");
  if (/postgres:\/\//.test(own)) start("start-postgres", "");
  if (/postgres:\/\//.test(own)) {
    const make =
      "psql -h 127.0.0.1 -U postgres -qc 'create role app login' -c 'create database app owner app'";
    steps.push(`<!-- run: until ${make} 2> err.txt; do sleep 0.2; done -->`);
  }
  if (
    /4500|API_KEY|npx hookporter (?:subscribe|properties)/.test(own) &&
    !/npx hookporter sandbox|inspect-port/.test(own)
  ) {
    start("npx hookporter sandbox", "try it");
    steps.push(
      "<!-- run: export HOOKPORTER_API_KEY=sk_test_sandbox HOOKPORTER_BASE_URL=http://127.0.0.1:4500 -->",
    );
  }
  // Backups are written to new files, and a comparison needs something to compare with.
  if (/events backup backup\.db/.test(own)) steps.push("<!-- run: rm backup.db -->");
  if (/types --check/.test(own)) steps.push("<!-- run: npx hookporter types > types.txt -->");
  const needsListen =
    /npx hookporter (?:trigger|replay)(?!.*--(?:url|handlers))|4400|listen\.ndjson/.test(own);
  const ownListen = needsListen && !/npx hookporter listen/.test(own);
  if (ownListen)
    start("npx hookporter listen --handlers handlers/ --json | tee listen.ndjson", READY);

  let listening: number | undefined;
  for (const part of own.split(/^(npx hookporter (?:listen|sandbox)\b.*(?<!&)\n)/m)) {
    if (part.trim() === "") continue;
    if (!GOES_ON.test(part.trim())) {
      steps.push(`<!-- exit: ${exit} -->\n\`\`\`sh\nset -e\n${part}\`\`\``);
      continue;
    }
    // Lines of one block may be alternatives, which need the same port.
    if (listening !== undefined) steps.push(`<!-- run: stop ${listening} -->`);
    start(part.trim(), part.includes(" sandbox") ? "try it" : "Endpoint");
    listening = started;
  }
  // What a block sends to that `listen`, its handlers must have handled; `check` sends what they
  // must not.
  if (ownListen && !/npx hookporter check/.test(own)) steps.push(`<!-- run: ${ALL_DONE} -->`);
  return steps.join("\n\n");
}
