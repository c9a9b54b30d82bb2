import { type HeaderBag, readHeader } from "../header.ts";
import { type BodyVariant, variant } from "./body-variant.ts";
import { cause } from "./causes.ts";

/** A longer name of a host is not tried. */
const LONGEST_HOST = 100;

/** The body with the URL that it was sent to, as other services sign it: by any name that the host has here. */
export function urlVariants(body: Uint8Array, headers: HeaderBag = {}, target = ""): readonly BodyVariant[] {
  const named = ["x-forwarded-host", "host"].map((name) => readHeader(headers, name));
  const hosts = new Set(named.filter((host) => typeof host === "string" && host.length <= LONGEST_HOST));
  const paths = target.startsWith("/") ? [...new Set([target, target.replace(/\?.*$/s, "")])] : [];
  const urls = paths.flatMap((path) =>
    [...hosts].flatMap((host) => [`https://${host}${path}`, `http://${host}${path}`]),
  );
  return addressed(body, urls, paths);
}

/** The body with each of some URLs and paths. */
export function addressed(
  body: Uint8Array,
  urls: readonly string[],
  paths: readonly string[],
): readonly BodyVariant[] {
  const signed = (name: string, before: string, after = "") =>
    variant([cause("other_scheme", name)], () =>
      Buffer.concat([Buffer.from(before), body, Buffer.from(after)]),
    );
  return [
    ...urls.flatMap((url) => [signed("the URL and the body", url), signed("the body and the URL", "", url)]),
    ...paths.flatMap((path) => [
      signed("the path and the body", path),
      signed("the method, the path and the body", `POST${path}`),
      signed("the method, the path and the body, a line each", `POST\n${path}\n`),
    ]),
  ];
}
