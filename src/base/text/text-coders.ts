type Coders = Pick<typeof globalThis, "TextDecoder" | "TextEncoder">;

/** The global ones, or those of Node, which Jest hides from tests with jsdom. */
const coders: Coders =
  typeof globalThis.TextDecoder === "function"
    ? globalThis
    : (process.getBuiltinModule("node:util") as unknown as Coders);

export const { TextDecoder, TextEncoder } = coders;
