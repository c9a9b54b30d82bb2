// Migrates an inbox file: `migrates.ts INBOX SQL`. Says when the transaction of the second
// migration has begun.
import { writeSync } from "node:fs";
import { loadSqlite } from "../../../src/inbox/sqlite/client.ts";
import { MIGRATIONS, migrate } from "../../../src/inbox/sqlite/migrations.ts";

const [path = "", sql = ""] = process.argv.slice(2);
const database = new (loadSqlite().DatabaseSync)(path);
const before = () => void writeSync(1, "begun\n");
migrate(database, path, { refuse: () => {}, before }, [...MIGRATIONS, sql]);
