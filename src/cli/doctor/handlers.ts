import { findProgram } from "../../base/system/programs.ts";
import { matchesKind } from "../../event/kind-pattern.ts";
import { type EventKind, eventKinds } from "../../event/kinds.ts";
import { selectInbox } from "../../inbox/open.ts";
import { runsKind } from "../../inbox/runner.ts";
import { checkTransactions } from "../../receiver/handlers/check-transactions.ts";
import { HandlerSet } from "../../receiver/handlers/handler-set.ts";
import { registerHandlers } from "../../receiver/handlers/register-handlers.ts";
import { Router } from "../../receiver/handlers/router.ts";
import { DEFAULT_SOURCE } from "../../receiver/options/settings.ts";
import { chooseHandlers } from "../handlers/chosen-handlers.ts";
import { consoleOnStderr } from "../handlers/console-on-stderr.ts";
import { type DoctorCheck, type Finding, fail, ok, warn } from "./finding.ts";
import type { Setup } from "./setup.ts";

/**
 * Whether handlers load, and which of the twelve kinds nobody handles or forwards. They are not
 * run.
 */
export const handlers: DoctorCheck = {
  name: "handlers",
  late: "look for a top-level await that never ends in the handlers module, or in what it imports",
  run: async (given) => {
    const { exec, onDead } = given.options;
    const missing = [
      ...programFinding("--exec", exec, given),
      ...programFinding("--on-dead", onDead, given),
    ];
    if (missing.length > 0) return missing;
    // A project's server runs neither the command of listen nor its targets.
    const { exec: _, forwardTo: __, ...ofServer } = given.options;
    const setup: Setup = given.isProject ? { ...given, options: ofServer } : given;
    const { handlers: path, exec: command, forwardTo = [] } = setup.options;
    // One without handlers only shows and keeps events.
    const others = ((await setup.facts()).processes ?? []).filter(
      ({ role, kinds }) => role !== "receive" && kinds.length > 0,
    );
    if ((path ?? command ?? forwardTo[0]) === undefined && others.length === 0)
      return [
        ok(setup.isProject ? UNNAMED : "none, and no target: listen only shows and keeps events"),
      ];
    const own = await handledHere(setup);
    const { events: wanted = ["*"] } = setup.options;
    const unhandled = eventKinds.filter((kind) => {
      if (!wanted.some((pattern) => matchesKind(pattern, kind))) return false;
      return !own.includes(kind) && !others.some((other) => runsKind(other, DEFAULT_SOURCE, kind));
    });
    return [verdict(unhandled, setup)];
  },
};

const UNNAMED =
  'not looked at: "project": { "handlers": "…" } in hookporter.config.json names them';

function programFinding(
  flag: string,
  command: readonly string[] | undefined,
  { context: { io } }: Setup,
) {
  const [program = ""] = command ?? [];
  if (command === undefined || findProgram(program, io) !== undefined) return [];
  return [
    fail(`the program of ${flag}, ${program}, cannot be found`, `install it, or correct ${flag}`),
  ];
}

function verdict(missing: readonly EventKind[], { options }: Setup): Finding {
  if (missing.length === 0) return ok("every kind is handled or forwarded");
  const found = `no handler or target for ${missing.length} of the 12 kinds: ${missing.join(", ")}`;
  const place = options.handlers === undefined ? "" : ` to ${options.handlers}`;
  const fix = `add handlers${place}, one for "*", or a --forward-to without a kind; or set events to the others`;
  return warn(found, fix);
}

async function handledHere({ options, context, inbox }: Setup): Promise<readonly EventKind[]> {
  const stop = consoleOnStderr(context.io); // what a module prints is no finding
  try {
    const command =
      options.exec === undefined ? undefined : { name: "exec", handler: async () => {} };
    const { otherKinds, handlers: register } = await chooseHandlers(
      { ...options, command },
      {},
      context,
    );
    const store = selectInbox(inbox.option); // not opened
    const declared = new HandlerSet({ kinds: [...eventKinds, ...otherKinds] });
    const router = new Router(declared, (pattern) => checkTransactions(store, pattern));
    registerHandlers(register, router);
    return eventKinds.filter((kind) => router.handlers.match(kind).length > 0);
  } finally {
    stop();
  }
}
