import type { ListenOptions } from "../listen/options.ts";

/** The options of `doctor`: those of `listen` that decide what it needs. */
export type DoctorOptions = Omit<
  ListenOptions,
  "count" | "once" | "waitFor" | "timeout" | "readyFile" | "saveDir" | "stream" | "role"
>;
