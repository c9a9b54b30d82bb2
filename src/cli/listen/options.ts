import type { Role } from "../../inbox/runner.ts";
import type { GoalOptions } from "../end/goal.ts";
import type { ForwardingOptions } from "../handlers/forwarding.ts";
import type { CommandFlagOptions } from "../handlers/open-commands.ts";
import type { SecretOptions } from "../secrets/options.ts";
import type { ServiceOptions } from "../service/options.ts";
import type { ReachableOptions } from "../tunnel/options.ts";
import type { InspectOptions } from "./inspecting.ts";

export interface ListenOptions
  extends GoalOptions,
    SecretOptions,
    ServiceOptions,
    ForwardingOptions,
    CommandFlagOptions,
    ReachableOptions,
    InspectOptions {
  readonly subscribe?: boolean;
  readonly stream?: URL;
  readonly events?: readonly string[];
  readonly port?: number;
  readonly path?: string;
  readonly inbox?: string;
  readonly role?: Role;
  readonly saveDir?: string;
  readonly shapes?: string;
  readonly signatureHeader?: string;
  readonly readyFile?: string;
  readonly healthPort?: number;
}
