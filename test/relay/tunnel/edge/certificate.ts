import { generateKeyPairSync, sign } from "node:crypto";

/** A key and its self-signed certificate, both as PEM. */
export interface Certificate {
  readonly key: string;
  readonly cert: string;
}

/**
 * A certificate for 127.0.0.1 and localhost, its own root and no CA, since the client's TLS refuses
 * a CA as a server. Created for each run, so that no key is in the repository, and without any
 * external program.
 */
export function makeCertificate(now = Date.now(), commonName = "localhost"): Certificate {
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const name = seq(der(0x31, seq(COMMON_NAME, der(0x0c, Buffer.from(commonName)))));
  const san = seq(der(0x82, Buffer.from("localhost")), der(0x87, Buffer.from([127, 0, 0, 1])));
  const signed = seq(
    der(0xa0, integer(2)), // version 3
    integer(1),
    seq(ECDSA_SHA256),
    name,
    seq(time(now - DAY), time(now + DAY)),
    name,
    publicKey.export({ type: "spki", format: "der" }),
    der(0xa3, seq(seq(SUBJECT_ALT_NAME, der(0x04, san)))),
  );
  const signature = sign("sha256", signed, privateKey);
  const whole = seq(signed, seq(ECDSA_SHA256), der(0x03, Buffer.from([0]), signature));
  const lines = whole.toString("base64").match(/.{1,64}/g) ?? [];
  return {
    key: String(privateKey.export({ type: "pkcs8", format: "pem" })),
    cert: `-----BEGIN CERTIFICATE-----\n${lines.join("\n")}\n-----END CERTIFICATE-----\n`,
  };
}

const DAY = 86_400_000;
const COMMON_NAME = Buffer.from("0603550403", "hex");
const SUBJECT_ALT_NAME = Buffer.from("0603551d11", "hex");
const ECDSA_SHA256 = Buffer.from("06082a8648ce3d040302", "hex");

/** One element: tag, length, content. */
function der(tag: number, ...parts: readonly Uint8Array[]): Buffer {
  const content = Buffer.concat(parts);
  const { length } = content;
  const size =
    length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length & 255];
  return Buffer.concat([Buffer.from([tag, ...size]), content]);
}

function seq(...parts: readonly Uint8Array[]): Buffer {
  return der(0x30, ...parts);
}

function integer(value: number): Buffer {
  return der(0x02, Buffer.from([value]));
}

function time(at: number): Buffer {
  const [date = ""] = new Date(at).toISOString().replaceAll(/[-:T]/g, "").split(".");
  return der(0x17, Buffer.from(`${date.slice(2)}Z`));
}
