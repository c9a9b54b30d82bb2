import { createHash, createHmac, randomBytes } from "node:crypto";

/**
 * A token gives access to the inspector. 128 random bits cannot be guessed, and in 22 characters
 * the page's address fits in a terminal of 80 columns, which does not link an address that is
 * broken over two lines.
 */
export function drawToken(): string {
  return randomBytes(16).toString("base64url");
}

export function bearerToken(authorization: string | undefined): string | undefined {
  return /^Bearer ([A-Za-z0-9_-]{1,200})$/.exec(authorization ?? "")?.[1];
}

/** The SHA-256 hash of a token or ticket, in hexadecimal. */
export function hashToken(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

/**
 * A name for a hash, which a page may tell to any server: it reveals neither the hash nor the
 * token.
 */
export function nameHash(hash: string): string {
  return mac(hash, "hookporter inspector name");
}

/**
 * Proves to a page that this server knows the hash of its token. The host is the one in the page's
 * address bar, so that a program on another port cannot pass the question on and use the answer.
 */
export function proveHash(hash: string, host: string, nonce: string): string {
  return mac(hash, `hookporter inspector proof\n${host}\n${nonce}`);
}

function mac(hash: string, text: string): string {
  return createHmac("sha256", Buffer.from(hash, "hex")).update(text).digest("base64url");
}
