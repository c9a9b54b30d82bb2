import buffer from "node:buffer";
import crypto from "node:crypto";
import fs from "node:fs";
import util from "node:util";
import { tooOld } from "./node-version.ts";

// Imported by their names, those that an old Node lacks would end the program before any line of ours says why.
const problem = tooOld(process.versions.node);
if (problem !== undefined) throw Object.assign(new Error(problem), { stack: problem });

export const { isAscii, isUtf8 } = buffer;
export const { statfsSync } = fs;
export const { hash } = crypto;
export const { parseEnv } = util;
