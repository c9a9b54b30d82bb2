/** A comment, a string, a word, white space, or one other character. */
const PIECE =
  /\/\/.*|\/\*[\s\S]*?\*\/|"(?:[^"\\\n]|\\[\s\S])*"|'(?:[^'\\\n]|\\[\s\S])*'|[\w$]+|\s+|[\s\S]/y;
/** A template up to its end or the next `${`. */
const TEMPLATE = /(?:[^`\\$]|\\[\s\S]|\$(?!\{))*(?:`|\$\{)?/y;
const REGULAR_EXPRESSION = /\/(?:[^/\\\n[]|\\.|\[(?:[^\]\\\n]|\\.)*\])+\//y;
const OPERAND = /[\w$)\]}"'_]$/; // what a slash follows that divides
const PLAIN_STRING = /^.[\w@./:-]*.$/; // a string that may be a module's name

/**
 * A source file as only its code, with every character at its place: comments are spaces;
 * templates, regular expressions and strings that are no module's name are underscores. So a
 * pattern finds nothing in what is not code.
 */
export function codeOf(text: string): string {
  let code = "";
  const brackets: string[] = [];
  const take = (pattern: RegExp) => {
    pattern.lastIndex = code.length;
    return pattern.exec(text)?.[0] ?? "";
  };
  while (code.length < text.length) {
    let piece = take(PIECE);
    if (/^\/[/*]/.test(piece)) code += piece.replace(/[^\n]/g, " ");
    else if (piece === "`" || (piece === "}" && brackets.pop() === "`")) {
      code += "_";
      piece = take(TEMPLATE);
      if (piece.endsWith("${")) brackets.push("`");
      code += hidden(piece);
    } else if (piece === "/" && !OPERAND.test(code.trimEnd()))
      code += hidden(take(REGULAR_EXPRESSION) || piece);
    else {
      if (piece === "{") brackets.push("{");
      code += /^["']./.test(piece) && !PLAIN_STRING.test(piece) ? hidden(piece) : piece;
    }
  }
  return code;
}

function hidden(piece: string): string {
  return piece.replace(/[^\n]/g, "_");
}

export interface Insertion {
  /** Where: the start of a line. */
  readonly at: number;
  readonly lines: readonly string[];
}

/** Inserts lines and changes nothing else. They end as the first line of the text does. */
export function insertLines(text: string, insertions: readonly Insertion[]): string {
  const end = /\r?\n/.exec(text)?.[0] ?? "\n";
  const fromLast = insertions.toReversed().toSorted((a, b) => b.at - a.at);
  return fromLast.reduce((before, { at, lines }) => {
    const start = at > 0 && before[at - 1] !== "\n" ? end : ""; // after a last line without an end
    return (
      before.slice(0, at) + start + lines.map((line) => line + end).join("") + before.slice(at)
    );
  }, text);
}

/** The start of the line after the one with this place. */
export function nextLine(text: string, place: number): number {
  const end = text.indexOf("\n", place);
  return end === -1 ? text.length : end + 1;
}

/**
 * The only match of a pattern, which must be global; `undefined` if there is none, or another one.
 */
export function onlyMatch(code: string, pattern: RegExp): RegExpExecArray | undefined {
  const [found, other] = code.matchAll(pattern);
  return other === undefined ? found : undefined;
}

/** The place after the bracket that closes the one before `at`; `undefined` if none does. */
export function afterBracket(code: string, at: number): number | undefined {
  let depth = 1;
  for (let place = at; place < code.length; place++) {
    if ("([{".includes(code[place] ?? "")) depth++;
    else if (")]}".includes(code[place] ?? "") && --depth === 0) return place + 1;
  }
  return undefined;
}
