import type { CauseCode } from "../../../src/entries/testing.ts";
import type { DiagnoseOptions } from "../../../src/signature/diagnose/diagnose.ts";
import { signed } from "./made.ts";

/** What arrives, given a body and a secret. */
export interface Arrived {
  readonly body: Uint8Array | string;
  readonly header: string | readonly string[];
  /** The secret here, if it is not the given one. */
  readonly secret?: string | Uint8Array;
  /** What else arrived. */
  readonly more?: Pick<DiagnoseOptions, "headers" | "target">;
}
/** A mistake, applied to a body and a secret. */
export type Mistake = (json: string, secret: string) => Arrived;

/**
 * A body that changed after it was signed, and one that was signed in another form than it is sent.
 */
export const sentAs =
  (change: (json: string) => string | Uint8Array): Mistake =>
  (json, secret) => ({ body: change(json), header: signed(json, secret) });
export const signedAs =
  (change: (json: string) => string | Uint8Array): Mistake =>
  (json, secret) => ({ body: json, header: signed(change(json), secret) });
export const headerAs =
  (change: (header: string, digest: string) => string | readonly string[]): Mistake =>
  (json, secret) => {
    const header = signed(json, secret);
    return { body: json, header: change(header, header.slice("sha256=".length)) };
  };
export const signedWith =
  (change: (secret: string) => string | Uint8Array): Mistake =>
  (json, secret) => ({ body: json, header: signed(json, change(secret)) });
export const hereWith =
  (change: (secret: string) => string | Uint8Array): Mistake =>
  (json, secret) => ({ body: json, header: signed(json, secret), secret: change(secret) });

/** A secret whose signature looks as wanted. */
export const secretWith = (json: string, drawn: string, wanted: RegExp): string => {
  for (let count = 0; ; count++) if (wanted.test(signed(json, drawn + count))) return drawn + count;
};

/** Mistakes with exactly one cause: its code, the mistake in words, and how to make it. */
export type Mistakes = readonly (readonly [CauseCode, string, Mistake])[];

/** The bytes of a text. */
export const bytes = (text: string) => Buffer.from(text, "utf8");
