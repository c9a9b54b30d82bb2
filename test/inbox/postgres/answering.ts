import type { PostgresDatabase, PostgresQueries } from "../../../src/inbox/postgres/session.ts";

/** Another answer to a statement; `undefined` for the database's own. It may throw. */
export type Instead = (text: string) => readonly object[] | undefined;

/**
 * A database that notes what it is asked, and answers some statements in another way. Notifications
 * are noted apart, since they are sent a little later.
 */
export function answering(database: PostgresDatabase, instead: Instead = () => undefined) {
  const asked: string[] = [];
  const notifications: string[] = [];
  const noting = (on: PostgresQueries): PostgresQueries => ({
    query: async (text, values, options) => {
      (text.includes("pg_notify") ? notifications : asked).push(text.trim());
      const rows = instead(text);
      return rows === undefined ? on.query(text, values, options) : { rows: [...rows] };
    },
  });
  const on: PostgresDatabase = {
    ...(database.listen && { listen: database.listen.bind(database) }),
    ...noting(database),
    transaction: (run) => database.transaction((transaction) => run(noting(transaction))),
  };
  /** How many statements with a part there were. */
  const askedFor = (part: string) => asked.filter((text) => text.includes(part)).length;
  return { on, asked, notifications, askedFor };
}
