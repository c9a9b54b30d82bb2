import { ownCommand } from "../../base/package/own-command.ts";
import { counted } from "../../base/text/counted.ts";
import { durationText } from "../../base/text/duration-text.ts";
import { shellWord } from "../../base/text/shell-word.ts";
import { sizeText } from "../../base/text/size-text.ts";
import { ENCRYPT } from "../../inbox/postgres/encryption.ts";
import type { DatabaseFacts, TableFacts } from "../../inbox/postgres/examine.ts";
import { isInboxOutOfReach } from "../mcp/reach.ts";
import { type DoctorCheck, type Finding, fail, notAsked, ok, warn } from "./finding.ts";

/** The oldest major version of PostgreSQL that has what the inbox uses. */
const OLDEST = 13;
const HOUR = 3_600_000;
/** Dead rows from which claims become slow, if they are also this many times those that live. */
const DEAD_ROWS = 100_000;
const DEAD_SHARE = 10;
/** Waiting entries from which it matters that the planner believes in this many times fewer. */
const MANY_WAITING = 5000;
const MISJUDGED = 20;

/** The server of an inbox on PostgreSQL: its version, and what comes between. */
export const database: DoctorCheck = {
  name: "database",
  run: async (setup) => {
    if (isInboxOutOfReach(setup.inbox, setup.context.io)) return [notAsked(setup.inbox.shown)];
    const facts = await setup.database();
    if (facts === undefined) return [];
    const findings = [...ofServer(facts), ...encryption(facts), ...notifications(facts)];
    if (findings.length > 0) return findings;
    const { version, user } = facts.server;
    return [ok(`${setup.inbox.shown}: PostgreSQL ${version}, as ${user}`)];
  },
};

function ofServer({ server }: DatabaseFacts): readonly Finding[] {
  const findings: Finding[] = [];
  if (Number.parseInt(server.version, 10) < OLDEST)
    findings.push(fail(`PostgreSQL ${server.version} is too old`, `use ${OLDEST} or newer`));
  if (server.encoding !== "UTF8") {
    const fix = "create one with CREATE DATABASE … ENCODING 'UTF8' TEMPLATE template0";
    findings.push(
      fail(`the database has the encoding ${server.encoding}, which cannot hold every text`, fix),
    );
  }
  if (server.isStandby)
    findings.push(
      fail("the server only reads, as a standby does", "name the primary server in the URL"),
    );
  for (const setting of server.harmful) {
    const fix = `ALTER ROLE ${server.user} SET ${setting.split(" ")[0]} = DEFAULT`;
    findings.push(warn(`${setting} makes the inbox slow, or its statements fail`, fix));
  }
  return findings;
}

function encryption({ plainTo }: DatabaseFacts): readonly Finding[] {
  if (plainTo === undefined) return [];
  return [warn(`the connection to ${plainTo} is unencrypted, as the server has no TLS`, ENCRYPT)];
}

function notifications({ notifies }: DatabaseFacts): readonly Finding[] {
  if (notifies) return [];
  const found =
    "notifications do not arrive, as behind a pooler in transaction mode: entries of other processes are found by polling";
  const fix =
    "name the server itself in --inbox, or a pooler in session mode; programs of your own can pass listenUrl";
  return [warn(found, fix)];
}

/** The tables of an inbox on PostgreSQL: their version, who may use them, and their upkeep. */
export const tables: DoctorCheck = {
  name: "tables",
  run: async (setup) => {
    const facts = await setup.database().catch(() => undefined);
    if (facts === undefined) return [];
    const { schema, newestSchema, lacks, name, server } = facts;
    const migrate = `run \`${ownCommand(`inbox migrate --grant-to ${shellWord(server.user)}`, setup.inboxWord)}\` as a user who may create a schema`;
    if (schema === 0) {
      if (server.mayCreate) return [ok(`none in the schema ${name} yet: listen creates them`)];
      return [
        fail(
          `there are none in the schema ${name}, and ${server.user} may not create them`,
          migrate,
        ),
      ];
    }
    if (lacks.length > 0) {
      const shown =
        lacks.slice(0, 3).join(", ") + (lacks.length > 3 ? ` and ${lacks.length - 3} more` : "");
      return [fail(`${server.user} lacks rights in the schema ${name}: ${shown}`, migrate)];
    }
    if (schema < newestSchema) {
      const found = `version ${schema} in the schema ${name}, of ${newestSchema}`;
      return [
        warn(
          found,
          `run \`${ownCommand("inbox migrate", setup.inboxWord)}\`, or start listen as their owner`,
        ),
      ];
    }
    const findings = facts.tables === undefined ? [] : upkeep(facts.tables, name);
    if (findings.length > 0) return findings;
    return [ok(`version ${schema} in the schema ${name}, ${sizeText(facts.tables?.bytes ?? 0)}`)];
  },
};

function upkeep(facts: TableFacts, name: string): readonly Finding[] {
  const { neverVacuumed, deadRows, liveRows, oldestTransaction, waiting, believedRows } = facts;
  const findings: Finding[] = [];
  if (neverVacuumed !== undefined) {
    const [where, fix] =
      neverVacuumed === "server"
        ? ["on the server", "set autovacuum = on in postgresql.conf"]
        : [`for ${name}.turn`, `ALTER TABLE ${name}.turn RESET (autovacuum_enabled)`];
    findings.push(warn(`autovacuum is off ${where}, so claims become slow`, fix));
  }
  const believed = Math.max(1, believedRows ?? waiting);
  if (waiting > MANY_WAITING && waiting > MISJUDGED * believed) {
    const found = `the planner believes that ${name}.turn has ${counted(believed, "row", "rows")}, but it has ${waiting}`;
    findings.push(warn(found, `ANALYZE ${name}.turn`));
  }
  if (deadRows > DEAD_ROWS && deadRows > DEAD_SHARE * liveRows) {
    const old = oldestTransaction > HOUR;
    const why = old
      ? `, and a transaction has been open for ${durationText(oldestTransaction)}`
      : "";
    const fix = old ? "end that transaction (pg_stat_activity lists it), then " : "";
    const found = `${counted(deadRows, "dead row makes", "dead rows make")} claims slow${why}`;
    findings.push(warn(found, `${fix}VACUUM ${name}.turn`));
  }
  return findings;
}
