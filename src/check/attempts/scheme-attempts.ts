import { timestampVariants } from "../../signature/diagnose/timestamp-variants.ts";
import type { Probe } from "../probe.ts";
import { type Attempt, asUsual } from "./attempt.ts";

const WANTED = "The service signs the raw body alone.";

/** An event that is signed as other services do: with its timestamp or the URL before it. */
export function schemeAttempts(probe: Probe): readonly Attempt[] {
  const { href, pathname } = probe.url;
  const body = probe.body();
  const attempt = (signed: string, before: Buffer): Attempt => ({
    cause: `The receiver verifies ${signed}, as other services sign it. ${WANTED}`,
    ...{ body: () => body, as: asUsual, digest: () => probe.digest(Buffer.concat([before, body])) },
  });
  return [
    ...timestampVariants(body, undefined).flatMap(({ causes: [cause], bytes }) => {
      const signed = bytes();
      if (signed === undefined) return [];
      return [
        attempt(`\`${cause?.detail}\``, Buffer.from(signed.subarray(0, signed.byteLength - body.byteLength))),
      ];
    }),
    ...[
      ["the URL and the body", href],
      ["the path and the body", pathname],
      ["the method, the path and the body", `POST${pathname}`],
      ["the method, the path and the body, a line each", `POST\n${pathname}\n`],
    ].map(([signed = "", before = ""]) => attempt(signed, Buffer.from(before))),
  ];
}
