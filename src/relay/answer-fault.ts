/**
 * An answer that is not HTTP/1.1. Its code is that of Node's own parser, so that the error reads the same whichever read
 * the answer.
 */
export function answerFault(code: `HPE_${string}`, what: string): Error {
  return Object.assign(new Error(`Parse Error: ${what}`), { code });
}
