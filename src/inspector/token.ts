import { createHash, randomBytes, timingSafeEqual } from "node:crypto";

/** The token of one run, which gives access to the inspector. */
export interface Token {
  /** 43 URL-safe characters: 256 random bits. */
  readonly text: string;
  /** Whether a request's `Authorization` header contains the token; compares in constant time. */
  matches(authorization: string | undefined): boolean;
}

/** Creates a random token. */
export function drawToken(): Token {
  const text = randomBytes(32).toString("base64url");
  const wanted = digest(text);
  return {
    text,
    matches: (authorization) => {
      const given = /^Bearer ([A-Za-z0-9_-]{1,200})$/.exec(authorization ?? "")?.[1];
      return given !== undefined && timingSafeEqual(digest(given), wanted);
    },
  };
}

function digest(text: string): Uint8Array {
  return createHash("sha256").update(text).digest();
}
