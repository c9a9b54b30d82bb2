import { ownCommand } from "../../base/package/own-command.ts";
import { counted } from "../../base/text/counted.ts";
import { durationText } from "../../base/text/duration-text.ts";
import { pauseLines } from "../../inbox/paced-retry.ts";
import { printable } from "../output.ts";
import { type DoctorCheck, type Finding, ok, warn } from "./finding.ts";
import type { Setup } from "./setup.ts";

/** Milliseconds after which an entry that is due should have been run. */
export const BEHIND = 5 * 60_000;

export const entries: DoctorCheck = {
  name: "entries",
  run: async (setup) => {
    const { inboxWord } = setup;
    const contents = await setup.contents();
    if (contents === undefined) return [];
    const { waiting, failing, dead } = contents;
    const pauses = await paused(setup);
    const findings = [...(await checkBacklog(setup))];
    if (failing > 0) {
      const found = `${counted(failing, "entry has", "entries have")} failed, and will be tried again`;
      findings.push(
        warn(found, `run \`${ownCommand("events list --state failing", inboxWord)}\` to see them`),
      );
    }
    const retry = `run \`${ownCommand("events list --group", inboxWord)}\` to see why, and how to retry them, or drop them`;
    if (dead > 0) findings.push(warn(counted(dead, "dead letter", "dead letters"), retry));
    if (findings.length > 0) return [...pauses, ...findings];
    return [
      ...pauses,
      ok(`${counted(waiting, "unfinished entry", "unfinished entries")}, no dead letters`),
    ];
  },
};

async function paused({ facts, context, inboxWord }: Setup): Promise<readonly Finding[]> {
  const { pauses = { paused: [], retries: [] } } = await facts();
  const lines = pauseLines(pauses, context.clock());
  const end = `\`${ownCommand("events resume --all", inboxWord)}\` ends it; its name instead of --all ends it alone`;
  return lines.map((line) =>
    line.includes(" is paused") ? warn(printable(line, 500), end) : ok(printable(line, 500)),
  );
}

async function checkBacklog({
  contents,
  facts,
  context,
  inboxWord,
}: Setup): Promise<readonly Finding[]> {
  const { due = 0, oldestDue = null } = (await contents()) ?? {};
  const since = oldestDue === null ? 0 : context.clock() - oldestDue;
  if (since < BEHIND) return [];
  const found = `${counted(due, "entry is", "entries are")} due, the oldest for ${durationText(since)}`;
  const running = ((await facts()).processes ?? []).filter(({ role }) => role !== "receive");
  if (running.length === 0) {
    const fix = "start listen, or your receiver, with handlers or a target";
    return [warn(`${found}, and no process runs them`, fix)];
  }
  const fix = `run \`${ownCommand("events list --state waiting,failing,running", inboxWord)}\` to see what they wait for`;
  return [warn(`${found}: handlers do not keep up`, fix)];
}

export const processes: DoctorCheck = {
  name: "processes",
  run: async ({ contents, facts }) => {
    if ((await contents()) === undefined) return [];
    const { processes: found = [] } = await facts();
    if (found.length === 0) return [ok("no process uses the inbox now")];
    const shown = found.map(({ role, version }) => `role ${role}, version ${version}`).join("; ");
    return [ok(`${counted(found.length, "process uses", "processes use")} the inbox: ${shown}`)];
  },
};
