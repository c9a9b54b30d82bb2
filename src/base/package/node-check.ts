import { tooOld } from "./node-version.ts";

/**
 * Says in one line that Node.js is too old. The build lets every entry point but
 * `hookporter/verify` begin with this file.
 */
const problem = tooOld(process.versions.node);
if (problem !== undefined) throw Object.assign(new Error(problem), { stack: problem });
