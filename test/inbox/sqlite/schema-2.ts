/** SQL that turns an inbox file back into the schema of version 0.1.0, apart from its rows. */
export const TO_SCHEMA_2 = `
  DROP TABLE sender;
  DROP TABLE paused;
  DROP TABLE pace;
  DROP TABLE erased;
  DROP INDEX entry_waits;
  ALTER TABLE entry DROP COLUMN waits;
  ALTER TABLE entry DROP COLUMN problems;
  ALTER TABLE attempt DROP COLUMN failure;
  DROP TABLE pruned_source;
  DROP TABLE runner;
  DROP INDEX entry_queue;
  CREATE INDEX entry_waiting ON entry (run_at, seq) WHERE state IN ('pending', 'running') AND held_back = 0;
  DELETE FROM migration WHERE version > 2`;
