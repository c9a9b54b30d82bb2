import type { Handler, TransactionHandler } from "../../dispatch/plan/handler.ts";
import type { WebhookEvent } from "../../event/event.ts";
import type { EventKind } from "../../event/kinds.ts";
import type { DataOf, DataSchemas } from "../../event/schemas.ts";
import type { HandlerOptions } from "./handler-options.ts";

/** A kind that is not unknown: one of the 12, or one declared in `otherKinds`. */
export type KnownKind<OtherKinds extends string = never> = EventKind | OtherKinds;

type FamilyOf<Kind extends string> = Kind extends `${infer Family}.${string}`
  ? `${Family}.*`
  : never;

/** A known kind, a family of them such as `property.*`, or `*` for all kinds. */
export type KindPattern<OtherKinds extends string = never> =
  | "*"
  | KnownKind<OtherKinds>
  | FamilyOf<KnownKind<OtherKinds>>;

/** The patterns of one family, such as `payment.received` and `payment.*`. */
type PatternsOf<
  Text extends string,
  OtherKinds extends string,
> = Text extends `${infer Family}.${string}`
  ? Extract<KindPattern<OtherKinds>, `${Family}.${string}`>
  : never;

/**
 * A pattern as it is, or, for a text that is none, a type that no text has: TypeScript prints it as
 * what it expected, at the end of its error.
 */
export type CheckedPattern<Text extends string, OtherKinds extends string> = string extends Text
  ? KindPattern<OtherKinds> // an editor completes the text
  : Text extends KindPattern<OtherKinds>
    ? Text
    : [PatternsOf<Text, OtherKinds>] extends [never]
      ? "no such event kind: expected one of EventKind or otherKinds, a family such as payment.*, or *"
      : `did you mean ${PatternsOf<Text, OtherKinds>}?`;

/** The known kinds that a pattern matches. */
export type KindsOf<Pattern extends string, OtherKinds extends string> = Pattern extends "*"
  ? KnownKind<OtherKinds>
  : Pattern extends `${infer Family}.*`
    ? Extract<KnownKind<OtherKinds>, `${Family}.${string}`>
    : Pattern;

export type EventsOf<Kind extends string, Schemas> = Kind extends string
  ? WebhookEvent<Kind, DataOf<Kind, Schemas>>
  : never;

/**
 * The events of a pattern: a union that `event.kind` discriminates. A family and `*` also match
 * kinds that this version does not know; those are not in the type, so give a `switch` over the
 * kind a `default`.
 */
export type EventOf<
  Pattern extends string,
  Schemas = object,
  OtherKinds extends string = never,
> = EventsOf<KindsOf<Pattern, OtherKinds>, Schemas>;

export type EventsByPattern<Schemas = object, OtherKinds extends string = never> = {
  readonly [Pattern in KindPattern<OtherKinds>]: EventOf<Pattern, Schemas, OtherKinds>;
};

/**
 * A member of a map. Unlike `Map[Key]`, it lets TypeScript compare registries by the members of
 * their maps, so that one with schemas is assignable to one without.
 */
export type Member<Map, Key> = Key extends keyof Map ? Map[Key] : never;

/**
 * A handler with options. One that writes in a transaction of the inbox has a key of its own: with
 * one key for both, TypeScript could not infer the event.
 */
export type HandlerDefinition<Event = WebhookEvent> = Omit<HandlerOptions, "tx"> &
  (
    | { readonly handler: Handler<Event>; readonly transaction?: undefined }
    | { readonly transaction: TransactionHandler<Event>; readonly handler?: undefined }
  );

/** Handlers by kind or pattern, or objects of a handler and its options. */
export type HandlersByKind<Schemas = object, OtherKinds extends string = never> = {
  readonly [Pattern in KindPattern<OtherKinds>]?:
    | Handler<EventOf<Pattern, Schemas, OtherKinds>>
    | HandlerDefinition<EventOf<Pattern, Schemas, OtherKinds>>
    | undefined;
};

/** Makes a schema for a kind that is neither one of the 12 nor declared a type error. */
export type OnlyKnownKinds<Schemas, OtherKinds extends string> = {
  readonly [Kind in keyof Schemas]: string extends Kind
    ? unknown
    : Kind extends KnownKind<OtherKinds>
      ? unknown
      : never;
};

/** Any schemas of known kinds. */
export type SchemasOption<Schemas extends DataSchemas, OtherKinds extends string> = Schemas &
  OnlyKnownKinds<Schemas, OtherKinds>;
