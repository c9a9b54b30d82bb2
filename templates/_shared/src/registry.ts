import type { HandlerRegistry } from "hookporter";
import type { otherKinds, schemas } from "./schemas.ts";

/** The kinds besides the 12, declared in ./schemas.ts. */
export type OtherKind = (typeof otherKinds)[number];

/** Where handlers are registered. It knows the schemas and the other kinds of ./schemas.ts. */
export type Registry = HandlerRegistry<typeof schemas, OtherKind>;
