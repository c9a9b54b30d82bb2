/**
 * Prints a line to standard error, as Node prints its own warnings: for what no logger can be told
 * of. Never throws.
 */
export function printWarning(message: string): void {
  try {
    process.emitWarning(message, "HookporterWarning");
  } catch {} // a program may have replaced it
}
