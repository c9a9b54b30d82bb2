import type { ListenOptions } from "../listen/options.ts";
import type { SecretOptions } from "../secrets/options.ts";
import type { ServiceOptions } from "../service/options.ts";
import type { TunnelOptions } from "../tunnel/options.ts";

/** The options of `doctor`: those of `listen` that decide what it needs. */
export interface DoctorOptions
  extends SecretOptions,
    ServiceOptions,
    TunnelOptions,
    Pick<ListenOptions, "port" | "path" | "inbox" | "healthPort" | "inspectPort">,
    Pick<ListenOptions, "handlers" | "exec" | "onDead" | "events" | "forwardTo" | "insecure" | "subscribe"> {}
