/** Where a function was called. */
export interface CallPlace {
  /** The file of the module, whatever its query. */
  readonly file: string;
  /** Differs if the module was surely evaluated again: with another query, or with other code. */
  readonly evaluation: string;
  /** Line and column. */
  readonly position: string;
  /** Whether the call is in the module's body, which runs once per evaluation. */
  readonly isInBody: boolean;
}

/** What V8 knows of a frame. Others know less. */
type Frame = NodeJS.CallSite & {
  getScriptHash?(): string;
  getEnclosingLineNumber?(): number;
  getEnclosingColumnNumber?(): number;
};

/** What follows the name of a file, such as `?t=1700000000000`. */
const QUERY = /\?[^?/\\]*$/;

/**
 * The place of a call whose stack `Error.captureStackTrace` put into an object; the stack was not
 * read yet. `undefined` if it is in no file, or if it cannot be known.
 */
export function callPlace(traced: { readonly stack?: unknown }): CallPlace | undefined {
  const { prepareStackTrace } = Error;
  try {
    Error.prepareStackTrace = (_, frames) => frames[0];
    return placeOf(traced.stack as Frame | undefined);
  } catch {
    return undefined; // such as frozen intrinsics
  } finally {
    Reflect.set(Error, "prepareStackTrace", prepareStackTrace);
  }
}

function placeOf(frame: Frame | undefined): CallPlace | undefined {
  const name = frame?.getScriptNameOrSourceURL();
  if (frame === undefined || name == null || !/[/\\]/.test(name)) return undefined;
  const file = name.replace(QUERY, "");
  return {
    file,
    evaluation: `${name.slice(file.length)} ${frame.getScriptHash?.()}`,
    position: `${frame.getLineNumber()}:${frame.getColumnNumber()}`,
    // A loader may put the body into a function that begins where the file does.
    isInBody:
      frame.getEnclosingLineNumber?.() === 1 && Number(frame.getEnclosingColumnNumber?.()) < 3,
  };
}

/** Whether two calls are in one module, and the later one in another evaluation of it. */
export function isEvaluatedAgain(before: CallPlace | undefined, now: CallPlace | undefined) {
  if (before === undefined || now === undefined || before.file !== now.file) return false;
  if (before.evaluation !== now.evaluation) return true;
  return before.isInBody && before.position === now.position;
}
