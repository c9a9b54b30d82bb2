import type { Logger } from "../../base/logger.ts";
import type { RetryOptions } from "../../base/options/retry.ts";
import type { WebhookEvent } from "../../event/event.ts";
import type { DataSchemas } from "../../event/schemas.ts";
import type { Role } from "../../inbox/runner.ts";
import type { InboxHandle } from "../../inbox/shared/handle.ts";
import type { SecretOption } from "../../signature/secret-bytes.ts";
import type { DriftWatch } from "../drift.ts";
import type { HandlersModule, HandlersOption } from "../handlers/define-handlers.ts";
import type { SchemasOption } from "../handlers/handler-types.ts";
import type { Tracing } from "./tracing.ts";

/** Limits for one source. */
export interface SourceLimits {
  /**
   * Entries of the source that are handled at a time, by each receiver. Default: the receiver's
   * `concurrency`.
   */
  readonly concurrency?: number | undefined;
  /**
   * While this number of entries of the source have not ended, its new events are answered 503 and
   * not kept; known ones are still answered 200. An estimate, counted about once a second. Default:
   * no limit.
   */
  readonly maxPending?: number | undefined;
}

/**
 * How a receiver is set up. All times are milliseconds. `undefined` means the default; only
 * `secret` has none.
 */
export interface ReceiverOptions<
  Schemas extends DataSchemas = Record<never, never>,
  OtherKinds extends string = never,
> {
  /**
   * The subscription's secret; a list for rotation, the current one first; or a function asked per
   * delivery.
   */
  readonly secret: SecretOption | undefined;
  /**
   * A file path, a `postgres://` URL, `"memory:"` (nothing survives the process), or what
   * `postgresInbox` returns. Default `hookporter.db` in the working folder.
   */
  readonly inbox?: string | InboxHandle | undefined;
  /** Default `x-service-signature` (service description, "Authentication" 6). */
  readonly signatureHeader?: string | undefined;
  /**
   * This receiver's name for the sender; two senders sharing an inbox need two. Default `service`.
   */
  readonly source?: string | undefined;
  /**
   * What this process does. `receive`: keeps deliveries and answers them, and leaves their entries
   * to other processes. `run`: runs entries, for a process that is sent no deliveries; it still
   * accepts deliveries. Default `both`.
   */
  readonly role?: Role | undefined;
  /** Additional event kinds, beyond the 12, such as `invoice.sent`. Default: none. */
  readonly otherKinds?: readonly OtherKinds[] | undefined;
  /** Your own schemas for `data`, by kind: any Standard Schema library. Default: none. */
  readonly schemas?: SchemasOption<Schemas, OtherKinds> | undefined;
  /**
   * Handlers: a module made by `defineHandlers`, which brings its schemas, an object from kind to
   * handler, or a function that registers them. Default: none; `receiver.on` adds more.
   */
  readonly handlers?:
    | HandlersModule<Schemas, OtherKinds>
    | HandlersOption<NoInfer<Schemas>, NoInfer<OtherKinds>>
    | undefined;
  /**
   * Your own rule for what makes two deliveries the same event: its result, with `source`, is the
   * whole dedup key, so the timestamp counts only if you put it in. Must not be empty, and must
   * depend on the event alone.
   */
  readonly identity?: ((event: WebhookEvent) => string) | undefined;
  /**
   * A key from the event, such as an id in its `data`: entries of one key run one after another in
   * order of arrival, others beside them. Nothing (`undefined` or `null`) asks for no order.
   * Default: no order.
   */
  readonly orderBy?: ((event: WebhookEvent) => string | null | undefined) | undefined;
  /**
   * What a dead letter does to the later entries of its order key: `skip` lets them run, `block`
   * keeps them waiting until it is retried, or pruned. Default `skip`.
   */
  readonly deadLetterOrder?: "skip" | "block" | undefined;
  /**
   * What becomes of an event with a number that a double does not hold, such as 9007199254740993:
   * `keep` hands it to its handlers, which read …992 unless they use `exactNumber`, and names it in
   * `problems`; `reject` makes it a dead letter (`inexact_number`), which runs once it is retried.
   * The answer is 200 either way. Default `keep`.
   */
  readonly inexactNumbers?: "keep" | "reject" | undefined;
  /** Events older than this are rejected. Default 7 days. */
  readonly maxAge?: number | undefined;
  /** Events further ahead of this machine's clock than this are rejected. Default 5 minutes. */
  readonly maxSkew?: number | undefined;
  /**
   * How long entries that ended are kept, and their dedup keys with them: never less than
   * `maxAge + maxSkew`. Dead letters have `retentionDead`. Default 30 days.
   */
  readonly retention?: number | undefined;
  /**
   * How long dead letters are kept, and their dedup keys with them: never less than `retention`.
   * Default: until you prune them yourself.
   */
  readonly retentionDead?: number | undefined;
  /**
   * How long the delivery of an entry that ended well is kept; its body's hash stays. Default 7
   * days.
   */
  readonly deliveryRetention?: number | undefined;
  /** Largest body in bytes. Default 1 MiB. */
  readonly bodyLimit?: number | undefined;
  /**
   * Most bytes of bodies that are being received, over all connections; never less than
   * `bodyLimit`. When they exceed it, the body whose latest progress is longest ago is ended (408).
   * Default 64 MiB, or `bodyLimit` if that is more.
   */
  readonly unverifiedLimit?: number | undefined;
  /** How long a body may take to arrive. Default 10 seconds. */
  readonly bodyTimeout?: number | undefined;
  /**
   * Limits by source; those of this receiver's own `source` apply, so that the receivers of several
   * sources can share one object. Default: none.
   */
  readonly sources?: Readonly<Record<string, SourceLimits>> | undefined;
  /** Entries handled at a time. Default 10. */
  readonly concurrency?: number | undefined;
  /** How long one handler may run. Default 30 seconds. */
  readonly handlerTimeout?: number | undefined;
  /**
   * When failed entries run again. Default: 10 attempts, from 1 to 256 seconds apart, up to half of
   * it random.
   */
  readonly retry?: RetryOptions | undefined;
  /**
   * How long other processes wait before they take over the entries of this one if it dies. Default
   * 15 seconds.
   */
  readonly lease?: number | undefined;
  /** How often to poll the inbox. Default 1 second. */
  readonly poll?: number | undefined;
  /**
   * How long an entry without a handler here waits for another process that has one, before it ends
   * as *received*; only while other processes are registered with the inbox, or with the role
   * `receive`. Default 10 minutes.
   */
  readonly unhandledAfter?: number | undefined;
  /** How long `close()` waits for running handlers. Default 10 seconds. */
  readonly drainTimeout?: number | undefined;
  /**
   * Bytes that the embedded inbox's log (`-wal`) may reach before a warning: another program blocks
   * checkpoints. Default 256 MiB.
   */
  readonly walLimit?: number | undefined;
  /**
   * A span for each delivery and attempt: what `createTracing` of `hookporter/tracing` returns.
   * Default: none; nothing of OpenTelemetry is loaded then.
   */
  readonly tracing?: Tracing | undefined;
  /**
   * Reports schema drift; pass `watchDrift(file)`. Checked when an entry first runs, not before the
   * answer; a difference is a warning and changes nothing else. Default: none.
   */
  readonly drift?: DriftWatch | undefined;
  /** Any pino logger fits. Default: pino, warnings and errors, to standard error. */
  readonly log?: Logger | undefined;
  /** Milliseconds since 1970. Default `Date.now`. */
  readonly clock?: (() => number) | undefined;
  /** 0 up to 1, for jitter. Default `Math.random`. */
  readonly random?: (() => number) | undefined;
}
