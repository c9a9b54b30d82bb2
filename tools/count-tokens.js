// How many tokens files have: a measure of code that its layout cannot change. Comments do not
// count. The compiler's tree gives them, so this takes TypeScript 5, which comes with a development
// dependency: TypeScript 7 gives no tokens.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";

const require = createRequire(
  createRequire(import.meta.url).resolve("@arethetypeswrong/core/package.json"),
);

/** The tokens of all these files together. */
export function countTokens(paths) {
  const ts = require("typescript");
  const tokensOf = (node, file) => {
    if (ts.isJSDoc(node) || node.kind === ts.SyntaxKind.EndOfFileToken) return 0;
    const children = node.getChildren(file);
    if (children.length === 0) return node.getText(file) === "" ? 0 : 1;
    return children.reduce((sum, child) => sum + tokensOf(child, file), 0);
  };
  return paths.reduce((sum, path) => {
    const file = ts.createSourceFile(
      path,
      readFileSync(path, "utf8"),
      ts.ScriptTarget.Latest,
      true,
    );
    return sum + tokensOf(file, file);
  }, 0);
}
