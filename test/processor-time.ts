/**
 * Milliseconds of processor time that this process has used, which do not grow while others use the
 * machine.
 */
export function processorTime(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

/** Milliseconds of processor time that work takes. */
export function processorTimeOf(work: () => unknown): number {
  const before = processorTime();
  work();
  return processorTime() - before;
}
