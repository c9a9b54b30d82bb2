import { readdirSync, readFileSync } from "node:fs";

/** A signature that another program made. */
export interface Vector {
  readonly name: string;
  readonly secret: string;
  readonly body: Uint8Array;
  readonly signature: string;
}

const FOLDER = new URL("../fixtures/vectors/", import.meta.url);

/** Every vector of `test/fixtures/vectors`, named by its file and number. */
export function readVectors(): readonly Vector[] {
  const files = readdirSync(FOLDER).filter((file) => file.endsWith(".json"));
  return files.flatMap((file) => {
    const stored = JSON.parse(readFileSync(new URL(file, FOLDER), "utf8")) as Stored[];
    return stored.map(({ secret, signature, body, body_base64 }, index) => ({
      name: `${file} ${index + 1}`,
      secret,
      signature,
      body:
        body_base64 === undefined ? Buffer.from(body ?? "") : Buffer.from(body_base64, "base64"),
    }));
  });
}

interface Stored {
  readonly secret: string;
  readonly signature: string;
  readonly body?: string;
  readonly body_base64?: string;
}
