import { dirname } from "node:path";
import { statfsSync } from "../../../package/builtins.ts";

/** Linux's numbers of network file systems (statfs(2)). */
const NETWORK: Readonly<Record<number, string>> = {
  26985: "nfs",
  20859: "smb",
  4283649346: "cifs",
  4266872130: "smb2",
  1397113167: "afs",
  1937076805: "coda",
  12805120: "ceph",
  16914839: "9p",
  198183888: "lustre",
};

/** The name of the network file system that a file is on; `undefined` if it is local or that is unknown. */
export function networkFileSystem(file: string): string | undefined {
  if (process.platform !== "linux") return undefined;
  try {
    return NETWORK[statfsSync(dirname(file)).type >>> 0];
  } catch {
    return undefined;
  }
}
