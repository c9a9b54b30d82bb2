import type { StartChild } from "./tunnel-child.ts";

/** Replaces the child for an address that the user maintains: nothing to start, only to probe. */
export function fixedAddress(url: string): StartChild {
  return (listener) => {
    const end = () => listener.exit("was released");
    listener.report({ type: "up", url });
    return { pid: undefined, close: end, kill: end };
  };
}
