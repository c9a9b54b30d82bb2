import { ConfigurationError } from "../errors.ts";
import { findPackage, requirePackage } from "../package/own-address.ts";
import type { PromClient } from "./metric-set.ts";

/**
 * Loads the package, of this package's installation or of the project in the working folder.
 *
 * @throws ConfigurationError `option_invalid` if it is not installed
 */
export function loadPromClient(): PromClient {
  const found = findPackage("prom-client");
  if (found !== undefined) return requirePackage(found) as PromClient;
  throw new ConfigurationError(
    "option_invalid",
    "expected the package prom-client to be installed for metrics, got none: run npm i prom-client, " +
      'or in a bundle pass client: import * as client from "prom-client"',
  );
}
