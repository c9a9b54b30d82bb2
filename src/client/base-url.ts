import { ConfigurationError } from "../errors.ts";
import { isLoopback } from "../is-loopback.ts";

/**
 * The service's base address (service description, `{base_url}`), without a slash at its end. Plain http is for this
 * machine alone: elsewhere the key could be read on its way.
 *
 * @throws ConfigurationError `option_invalid`
 */
export function readBaseUrl(given: string | URL | undefined, plainHttp: boolean): string {
  const url = parse(given);
  if (url.username !== "" || url.password !== "") throw invalid("without a user name or password");
  if (url.search !== "" || url.hash !== "") throw invalid("without a query or fragment");
  if (url.protocol === "http:" && !isLoopback(url) && !plainHttp) {
    throw invalid(
      `to be https, got plain http to ${url.hostname}: the API key could be read on its way (plainHttp, --plain-http, allows it)`,
    );
  }
  const base = url.href.replace(/\/+$/, "");
  if (/\/v\d+$/.test(base)) throw invalid(`without the version, got ${base}: leave out its last part`);
  return base;
}

function parse(given: string | URL | undefined): URL {
  if (given === undefined || given === "") throw invalid("to be the service's address, got none");
  const url = URL.canParse(String(given)) ? new URL(given) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol)) throw invalid("to be an http or https URL");
  return url;
}

function invalid(expected: string): ConfigurationError {
  return new ConfigurationError("option_invalid", `expected baseUrl ${expected}`);
}
