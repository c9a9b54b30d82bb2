import { SERVICE_FITS } from "../service/options.ts";
import type { FitTable } from "../settings/fitting.ts";
import { TUNNEL_FITS } from "../tunnel/fitting.ts";
import type { DoctorOptions } from "./options.ts";

/** Which flags can be combined. Fewer rules than for `listen`: here the service's address alone is worth a look. */
export const DOCTOR_FITS: FitTable<DoctorOptions> = {
  ...SERVICE_FITS,
  ...TUNNEL_FITS,
  insecure: { needs: ["forwardTo"] },
};
