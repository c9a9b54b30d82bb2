import { createHash, randomBytes, timingSafeEqual } from "node:crypto";

/** A token for one run: whoever has it may use the inspector. */
export interface Token {
  /** 43 characters that are safe in a URL: 256 bits drawn at random. */
  readonly text: string;
  /** Whether a request's `Authorization` header carries it; takes the same time however wrong it is. */
  matches(authorization: string | undefined): boolean;
}

/** Draws a token. */
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
