// The handlers of the tested `listen`.
import { haveEffect } from "./effect.js";

const life = Number(process.env.CRASH_LIFE);
const clockAhead = Number(process.env.CRASH_CLOCK_AHEAD ?? 0);

// biome-ignore lint/style/noDefaultExport: a handlers module exports by default
export default (receiver) => receiver.on("*", (event) => haveEffect(event.id, life, clockAhead));
