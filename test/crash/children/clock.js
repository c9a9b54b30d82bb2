// Preloaded into `listen`: sets its clock ahead, so that the leases of killed processes have ended without the wait.
const ahead = Number(process.env.CRASH_CLOCK_AHEAD);
const now = Date.now;
Date.now = () => now() + ahead;
