/** Marks doctor's look at an endpoint of this machine, so that `listen` does not show it as a refused delivery. */
export const DOCTOR_AGENT = "hookporter-doctor";
