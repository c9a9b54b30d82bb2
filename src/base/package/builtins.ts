import buffer from "node:buffer";
import crypto from "node:crypto";
import fs from "node:fs";
import util from "node:util";

// Imported by their names, those that an old Node lacks would end the program before
// `node-check.ts` says why.
export const { isAscii, isUtf8 } = buffer;
export const { statfsSync } = fs;
export const { hash } = crypto;
export const { parseEnv } = util;
