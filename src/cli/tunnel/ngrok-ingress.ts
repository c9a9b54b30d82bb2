import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { describeFileError } from "../../base/file-error.ts";
import { HookporterError } from "../../errors.ts";
import type { Io } from "../io.ts";

/** An ingress other than ngrok's public one, and the certificate (PEM) to trust there. */
interface NgrokIngress {
  readonly serverAddr?: string;
  readonly ca?: string;
}

/**
 * The account's own ingress, which ngrok calls a connect address, from environment variables.
 *
 * @throws HookporterError `usage`
 */
export function ngrokIngress({ env, cwd }: Io): NgrokIngress {
  const { HOOKPORTER_NGROK_SERVER_ADDR: serverAddr, HOOKPORTER_NGROK_CA_FILE: caFile } = env;
  if (serverAddr && !/^[^\s/]+:\d+$/.test(serverAddr)) {
    const got = JSON.stringify(serverAddr);
    throw new HookporterError("usage", `HOOKPORTER_NGROK_SERVER_ADDR: expected host:port, got ${got}`);
  }
  return {
    ...(serverAddr && { serverAddr }),
    ...(caFile && { ca: readCertificate(resolve(cwd, caFile)) }),
  };
}

function readCertificate(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (thrown) {
    const why = describeFileError(thrown);
    throw new HookporterError("usage", `HOOKPORTER_NGROK_CA_FILE: could not read ${path}: ${why}`);
  }
}
