import type { ForwardingOptions } from "./forwarding.ts";
import type { GoalOptions } from "./goal.ts";
import type { InspectOptions } from "./inspecting.ts";
import type { SecretOptions } from "./secret.ts";
import type { ServiceOptions } from "./service-options.ts";
import type { ReachableOptions } from "./tunnel-options.ts";

/** The options of `listen`. */
export interface ListenOptions
  extends GoalOptions,
    SecretOptions,
    ServiceOptions,
    ForwardingOptions,
    ReachableOptions,
    InspectOptions {
  readonly subscribe?: boolean;
  readonly stream?: URL;
  readonly events?: readonly string[];
  readonly port?: number;
  readonly path?: string;
  readonly inbox?: string;
  readonly saveDir?: string;
  readonly signatureHeader?: string;
  readonly readyFile?: string;
  readonly healthPort?: number;
}
