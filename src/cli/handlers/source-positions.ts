import { SourceMap } from "node:module";
import { errorsOf, isError } from "../../base/guards.ts";
import { FRAME } from "../../base/system/paths.ts";
import type { Handler } from "../../dispatch/plan/handler.ts";

/** How a file was compiled: what runs, in place of what was written. */
interface Compiled {
  readonly source: string;
  readonly code: string;
  /** The source map as JSON; none if the source runs as it is. */
  readonly map?: string;
  /** Characters that the loader puts before the code, on its first line. */
  readonly prefix: number;
}

const IMPORTED_CALLEE = /\(0, ?[\w$.]+\)$/;

/** How many errors are followed from one, as causes and as members of an `AggregateError`. */
const MAX_ERRORS = 50;

/** Errors whose stacks have positions of the source already: the same error may be thrown again. */
const corrected = new WeakSet<Error>();

/**
 * Where the code of compiled files is in their sources. V8 reads no source maps, so stacks have the
 * compiled columns.
 */
export class SourcePositions {
  readonly #files = new Map<string, Compiled & { parsed?: SourceMap }>();

  add(file: string, compiled: Compiled): void {
    this.#files.set(file, compiled);
  }

  /**
   * Replaces the positions in the stacks of an error and its causes by those in the sources. A
   * column that is not known for certain is left out. Errors that cannot be changed stay as they
   * are. Never throws.
   */
  correct(thrown: unknown): void {
    const errors = [thrown];
    for (let index = 0; index < errors.length && index < MAX_ERRORS; index++) {
      try {
        const error = errors[index];
        if (!isError(error) || corrected.has(error)) continue;
        corrected.add(error);
        const { stack, cause } = error;
        if (typeof stack === "string") error.stack = this.#correctStack(stack);
        errors.push(cause);
        const inner = errorsOf(error).filter((one) => one !== error);
        errors.push(...inner.slice(0, MAX_ERRORS));
      } catch {
        // Such as a frozen error, or a getter that throws: no reason to lose what the handler
        // threw.
      }
    }
  }

  /** A handler that throws only errors with corrected stacks. */
  correcting(handler: Handler): Handler {
    return async (event, context) => {
      try {
        return await handler(event, context);
      } catch (thrown) {
        this.correct(thrown);
        throw thrown;
      }
    };
  }

  #correctStack(stack: string): string {
    return stack
      .split("\n")
      .map((text) => {
        const [, before = "", file = "", line = "", column = "", after = ""] =
          FRAME.exec(text) ?? [];
        const compiled = this.#files.get(file);
        if (compiled === undefined) return text;
        const found = this.#find(compiled, Number(line), Number(column));
        return `${before}${file}:${found.line}${found.column === undefined ? "" : `:${found.column}`}${after}`;
      })
      .join("\n");
  }

  /**
   * The position in the source; lines and columns from 1. No column if it is not known for certain.
   */
  #find(compiled: Compiled & { parsed?: SourceMap }, line: number, shifted: number) {
    const column = line === 1 ? shifted - compiled.prefix : shifted;
    if (compiled.map === undefined) return { line, column };
    const compiledLine = lineOf(compiled.code, line);
    // V8 reports the call of an imported function, compiled to `(0, lib.name)()`, at its second
    // parenthesis.
    const [callee = ""] = IMPORTED_CALLEE.exec(compiledLine.slice(0, column - 1)) ?? [];
    const at = column - 1 - callee.length;
    compiled.parsed ??= new SourceMap(JSON.parse(compiled.map));
    const entry = compiled.parsed.findEntry(line - 1, at);
    // Without an entry of its own, a line is where it was, since the compiler keeps lines.
    if (!("generatedLine" in entry) || entry.generatedLine !== line - 1) return { line };
    const { generatedColumn, originalLine, originalColumn } = entry;
    const text = compiledLine.slice(generatedColumn, at);
    const same = lineOf(compiled.source, originalLine + 1).startsWith(text, originalColumn);
    if (!same) return { line: originalLine + 1 };
    return { line: originalLine + 1, column: originalColumn + text.length + 1 };
  }
}

function lineOf(text: string, line: number): string {
  return text.split(/\r\n|[\n\r\u2028\u2029]/, line)[line - 1] ?? "";
}
