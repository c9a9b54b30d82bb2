import { createRequire } from "node:module";
import { join } from "node:path";
import { ConfigurationError } from "../errors.ts";
import { requirePackage } from "../own-address.ts";
import type { PromClient } from "./metric-set.ts";

/**
 * Loads the package, of this package's installation or of the project in the working folder.
 *
 * @throws ConfigurationError `option_invalid` if it is not installed
 */
export function loadPromClient(): PromClient {
  try {
    return requirePackage("prom-client") as PromClient;
  } catch (cause) {
    const client = fromWorkingFolder();
    if (client !== undefined) return client;
    throw new ConfigurationError(
      "option_invalid",
      "expected the package prom-client to be installed for metrics, got none: run npm i prom-client, " +
        'or in a bundle pass client: import * as client from "prom-client"',
      { cause },
    );
  }
}

function fromWorkingFolder(): PromClient | undefined {
  try {
    return createRequire(join(process.cwd(), "package.json"))("prom-client");
  } catch {
    return undefined;
  }
}
