const calls = new Set<() => void>();

function callAll(): void {
  for (const call of calls) call();
}

/**
 * Calls back when the process exits, unless the returned function is called first. All share one
 * listener, since Node warns of a leak when a process with many inboxes has as many.
 */
export function atExit(call: () => void): () => void {
  if (calls.size === 0) process.on("exit", callAll);
  calls.add(call);
  return () => {
    if (calls.delete(call) && calls.size === 0) process.off("exit", callAll);
  };
}
