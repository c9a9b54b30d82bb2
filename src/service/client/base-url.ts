import { ConfigurationError } from "../../base/errors.ts";
import { describeValue } from "../../base/options/describe-value.ts";
import { trimEndOf } from "../../base/text/trim-end.ts";
import { isLoopback } from "../../http/is-loopback.ts";

/**
 * Reads the service's base URL (service description, `{base_url}`), without a trailing slash. Plain
 * HTTP is only for this machine, since others could read the key on the way. Throws
 * `option_invalid`.
 */
export function readBaseUrl(given: string | URL | undefined, plainHttp: boolean): string {
  if (given === undefined || given === "")
    throw invalid("to be the service's base URL, got none: pass baseUrl");
  const url = URL.canParse(String(given)) ? new URL(given) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol)) {
    // A text is not shown, since it may be a key.
    const other =
      typeof given === "string" ? "one without https:// or http://" : describeValue(given);
    const got = url === undefined ? other : `${url.protocol}//…`;
    throw invalid(
      `to be an http or https URL, got ${got}: pass one such as https://api.example.com`,
    );
  }
  if (url.username !== "" || url.password !== "")
    throw invalid("without a user name or password, got one with them: pass the key as apiKey");
  if (url.search !== "" || url.hash !== "")
    throw invalid("without a query or fragment, got one with them: remove them");
  if (url.protocol === "http:" && !isLoopback(url) && !plainHttp)
    throw invalid(
      `to be https, got plain HTTP to ${url.hostname}: use https, since others could read the API key on the way (the client's option plainHttp allows it)`,
    );
  const base = trimEndOf(url.href, "/");
  if (/\/v\d+$/.test(base)) throw invalid(`without the version, got ${base}: remove the last part`);
  return base;
}

function invalid(expected: string): ConfigurationError {
  return new ConfigurationError("option_invalid", `expected baseUrl ${expected}`);
}
