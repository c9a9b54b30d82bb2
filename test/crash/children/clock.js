// Preloaded into `listen`: sets its clock ahead, so that leases of killed processes expire without
// waiting.
const ahead = Number(process.env.CRASH_CLOCK_AHEAD);
const now = Date.now;
Date.now = () => now() + ahead;
