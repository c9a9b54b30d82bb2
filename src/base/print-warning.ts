/** Prints a line to standard error, as Node prints its own warnings: for what no logger can be told of. */
export function printWarning(message: string): void {
  process.emitWarning(message, "HookporterWarning");
}
