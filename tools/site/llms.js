/**
 * The pages for language models: `llms.txt` lists each page with its first sentence,
 * `llms-full.txt` has all of them.
 *
 * @param contents - the list of pages, docs/README.md
 * @param read - reads a page by its path in docs/
 */
export function llmsFiles(contents, read) {
  const paths = [...contents.matchAll(/^- \[[^\]]+\]\((?!\.\.)([^)#]+\.md)\)/gm)].map(
    ([, path]) => path,
  );
  const pages = paths.map((path) => ({ path, text: read(path) }));
  const list = pages.map(
    ({ path, text }) => `- [${titleOf(text)}](${path}): ${firstSentence(text)}`,
  );
  const head =
    "# hookporter\n\n> Receives signed webhooks: verifies, keeps, runs and replays them. A library and a command line for Node.js.\n";
  return {
    "llms.txt": `${head}\n## Pages\n\n${list.join("\n")}\n`,
    "llms-full.txt": `${head}\n${pages.map(({ path, text }) => `<!-- ${path} -->\n\n${text.trim()}\n`).join("\n")}`,
  };
}

function titleOf(text) {
  return /^# (.+)$/m.exec(text)?.[1] ?? "";
}

/**
 * The first sentence of the first paragraph of prose, in one line without links; nothing if there
 * is none.
 */
function firstSentence(text) {
  const blocks = text.replaceAll(/^```[\s\S]*?^```$|<!--[\s\S]*?-->/gm, "").split(/\n{2,}/);
  const prose = blocks.find((block) => /^[\w[`*]/.test(block.trim())) ?? "";
  const line = prose
    .trim()
    .replaceAll(/\s*\n\s*/g, " ")
    .replaceAll(/\[([^\]]+)\]\([^)]*\)/g, "$1");
  return /^.*?[.:](?= |$)/.exec(line)?.[0] ?? line;
}
