import type { Role } from "../../inbox/runner.ts";
import type { NamedHost } from "../../inspector/auth/named-host.ts";
import type { GoalOptions } from "../end/goal.ts";
import type { ForwardingOptions } from "../handlers/forwarding.ts";
import type { CommandFlagOptions } from "../handlers/open-commands.ts";
import type { SecretOptions } from "../secrets/secret-options.ts";
import type { ServiceOptions } from "../service/service-options.ts";
import type { ReachableOptions } from "../tunnel/tunnel-options.ts";

export interface ListenOptions
  extends GoalOptions,
    SecretOptions,
    ServiceOptions,
    ForwardingOptions,
    CommandFlagOptions,
    ReachableOptions {
  /** 0 means any free port. Default 4401, or a free one if that is taken. */
  readonly inspectPort?: number;
  /** Forwarded addresses under which the page may be open. */
  readonly inspectHost?: readonly NamedHost[];
  /** False with `--no-inspect`. */
  readonly inspect?: boolean;
  readonly stream?: URL;
  readonly port?: number;
  readonly inbox?: string;
  readonly role?: Role;
  readonly saveDir?: string;
  /**
   * The shape file for drift, and for data that the page's trigger makes up. Default: the usual
   * one, if there is one.
   */
  readonly shapes?: string;
  readonly signatureHeader?: string;
  readonly readyFile?: string;
  readonly healthPort?: number;
}
