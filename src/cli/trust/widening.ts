import { resolve } from "node:path";
import { leadsBelow } from "../../base/system/files.ts";
import { tryOr } from "../../base/try-or.ts";
import { isLoopback } from "../../http/is-loopback.ts";
import { readForward } from "../handlers/values.ts";
import { isElsewhere } from "../inbox/elsewhere.ts";
import { readEndpoint } from "../settings/values.ts";

/** Whether one value of a flag needs the person's consent, in a folder. */
type Rule = (value: string, folder: string) => boolean;

const whatever: Rule = () => true;

/** For a flag without a value: whether it is turned on. */
const on: Rule = (value) => value !== "false" && value !== "0";

/** An address that is not of this machine, or none that can be read. */
const elsewhere: Rule = (value) => {
  return !tryOr(() => isLoopback(readEndpoint(value)), false);
};

/** The same of a target, which may have a pattern of kinds before it. */
const forward: Rule = (value) =>
  !tryOr(() => readForward(value).every(({ target }) => isLoopback(target)), false);

/** A file that is not below the folder, or that a link leads out of it. */
const outside: Rule = (value, folder) => {
  const named = resolve(folder, value);
  return named !== folder && !leadsBelow(named, folder);
};

/** A variable that may hold a key of something else. */
const foreignVariable: Rule = (value) =>
  value.split(",").some((name) => !name.trim().startsWith("HOOKPORTER_"));

/** A database on another machine, or a file outside the folder. */
const inbox: Rule = (value, folder) =>
  /^postgres(?:ql)?:/i.test(value)
    ? tryOr(() => isElsewhere(value), true)
    : value !== "memory:" && outside(value, folder);

/** A file whose content is sent: `@` before its name. */
const sentFile: Rule = (value, folder) => value.startsWith("@") && outside(value.slice(1), folder);

/**
 * The flags that widen what a command may do, or say where keys, secrets and events go. A folder's
 * file sets them only with the person's consent.
 */
const WIDENING: Readonly<Record<string, Rule>> = {
  // where keys and secrets go
  baseUrl: whatever,
  stream: whatever,
  apiKeyEnv: foreignVariable,
  accessTokenEnv: foreignVariable,
  secretEnv: foreignVariable,
  headerEnv: whatever,
  live: on,
  // where events go
  forwardTo: forward,
  url: elsewhere,
  publicUrl: elsewhere,
  insecure: on,
  tunnel: whatever,
  sshHost: whatever,
  inbox,
  grantTo: whatever,
  targetHosts: whatever,
  // what runs
  handlers: whatever,
  exec: whatever,
  onDead: whatever,
  observe: whatever,
  tunnelCommand: whatever,
  // who may come in, and with what
  inspectHost: whatever,
  passHeaders: whatever,
  // what is read and written
  envFile: outside,
  data: sentFile,
  event: outside,
  saveDir: outside,
  bodiesTo: outside,
  readyFile: outside,
  out: outside,
  output: outside,
  to: outside,
  // what is done without a question
  force: on,
  yes: on,
};

/** The flags that may need consent, by their camel-case names. */
export const WIDENING_FLAGS: ReadonlySet<string> = new Set(Object.keys(WIDENING));

/** Whether a value of a flag needs the person's consent if a file of the folder sets it. */
export function widens(flag: string, value: unknown, folder: string): boolean {
  const rule = Object.hasOwn(WIDENING, flag) ? WIDENING[flag] : undefined;
  return rule !== undefined && [value].flat().some((text) => rule(String(text), folder));
}
