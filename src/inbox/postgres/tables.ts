/**
 * Old entries are deleted a few at a time, all day. By default, a table is vacuumed once a fifth of
 * it is dead, which in a month's entries is that of a week.
 */
const PRUNED = "autovacuum_vacuum_scale_factor = 0.02";

/**
 * The tables. Texts that identify something compare by their bytes, since a new version of the
 * operating system may sort them in another order, which breaks an index. Times are milliseconds
 * since 1970.
 *
 * One table for all days, not a partition for each. Measured with 10 million entries of 34 days, on
 * 2 cores that 64 senders kept busy: 1.33 times as many entries were claimed and settled, 1.06
 * times as many received, with 0.85 times their p99; beside pruning 1.17, 0.99 and 1.03 times.
 * Dropping a day took 4 s, and held up all writers for half a second; deleting its entries takes
 * minutes, and holds up none.
 */
export const TABLES = `
  CREATE SEQUENCE @.seq;
  CREATE SEQUENCE @.attempt_id;

  -- Written once per dedup key. Its index is led by the timestamp, so that new keys land at its end.
  CREATE TABLE @.entry (
    seq bigint PRIMARY KEY,
    key_timestamp bigint NOT NULL,
    event_id text COLLATE "C" NOT NULL,
    source text COLLATE "C" NOT NULL,
    kind text COLLATE "C",
    event_timestamp bigint,
    order_key text COLLATE "C",
    received_at bigint NOT NULL,
    body_hash bytea NOT NULL,
    body_length int NOT NULL
  ) WITH (${PRUNED});
  CREATE UNIQUE INDEX entry_key ON @.entry (key_timestamp, event_id, source);

  -- The delivery as it came.
  CREATE TABLE @.delivery (
    seq bigint PRIMARY KEY,
    received_at bigint NOT NULL,
    method text NOT NULL,
    target text NOT NULL,
    headers text NOT NULL,
    body bytea NOT NULL
  ) WITH (${PRUNED});
  ALTER TABLE @.delivery ALTER COLUMN body SET STORAGE EXTERNAL;

  -- One row for each entry that has not ended: the only table whose rows change often. Every entry has a row in exactly one of
  -- turn, dead_or_received and handled, which is its state. In turn, it is running if it has a lease. Otherwise it is failing
  -- if it has attempts and no reason to wait, or else waiting.
  CREATE TABLE @.turn (
    seq bigint PRIMARY KEY,
    key_timestamp bigint NOT NULL,
    received_at bigint NOT NULL,
    dated bigint NOT NULL,
    source text COLLATE "C" NOT NULL,
    -- A digest of source and order key. Changes of what waits behind it are made under an advisory lock on it.
    order_hash bigint,
    -- Whether an earlier entry of the same order key waits or runs.
    behind boolean NOT NULL,
    run_at bigint NOT NULL,
    lease text,
    -- The last lease that ended with another attempt to come, so that its settlement can be repeated.
    settled_lease text,
    attempts int NOT NULL,
    reason text,
    finished_handlers text NOT NULL,
    waits text,
    waiting_for text[] COLLATE "C"
  ) WITH (fillfactor = 70, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000,
    autovacuum_vacuum_cost_delay = 0);
  CREATE INDEX turn_due ON @.turn (source, run_at, seq) WHERE NOT behind;
  CREATE INDEX turn_order ON @.turn (order_hash, seq) WHERE order_hash IS NOT NULL;
  CREATE INDEX turn_waiting ON @.turn (seq) WHERE waiting_for IS NOT NULL;

  -- One row for each entry that is dead or received.
  CREATE TABLE @.dead_or_received (
    seq bigint PRIMARY KEY,
    key_timestamp bigint NOT NULL,
    received_at bigint NOT NULL,
    dated bigint NOT NULL,
    source text COLLATE "C" NOT NULL,
    order_hash bigint,
    state text NOT NULL CHECK (state IN ('dead', 'received')),
    reason text,
    problems text,
    settled_at bigint NOT NULL,
    run_at bigint NOT NULL,
    attempts int NOT NULL,
    finished_handlers text NOT NULL,
    waits text,
    lease text
  );
  CREATE INDEX dead_or_received_order ON @.dead_or_received (order_hash, seq) WHERE order_hash IS NOT NULL AND state = 'dead';
  CREATE INDEX dead_or_received_received ON @.dead_or_received (received_at);

  -- One row for each entry that is handled.
  CREATE TABLE @.handled (
    seq bigint PRIMARY KEY,
    key_timestamp bigint NOT NULL,
    received_at bigint NOT NULL,
    dated bigint NOT NULL,
    source text COLLATE "C" NOT NULL,
    reason text,
    settled_at bigint NOT NULL,
    run_at bigint NOT NULL,
    attempts int NOT NULL,
    finished_handlers text NOT NULL,
    waits text,
    -- A digest of the lease that ended with this, so that its settlement can be repeated.
    lease_hash bigint
  ) WITH (${PRUNED});

  -- One row per run of one handler.
  CREATE TABLE @.attempt (
    id bigint NOT NULL,
    seq bigint NOT NULL,
    attempt int NOT NULL,
    handler text NOT NULL,
    started_at bigint NOT NULL,
    duration_ms double precision NOT NULL,
    outcome text NOT NULL CHECK (outcome IN ('ok', 'error', 'timeout')),
    error text,
    note text,
    failure text,
    PRIMARY KEY (seq, id)
  ) WITH (${PRUNED});

  -- One row for each entry that was received again.
  CREATE TABLE @.repeat (
    seq bigint PRIMARY KEY,
    duplicates int NOT NULL,
    last_seen_at bigint NOT NULL
  ) WITH (${PRUNED});

  -- One row: by source, events dated at or before this may have been pruned, so an unknown one is not taken for new.
  CREATE TABLE @.pruned (marks jsonb NOT NULL);
  INSERT INTO @.pruned VALUES ('{}');

  -- One row per process that shares the inbox.
  CREATE TABLE @.runner (
    id text PRIMARY KEY,
    since bigint NOT NULL,
    seen_at bigint NOT NULL,
    version text NOT NULL,
    role text NOT NULL,
    sources text NOT NULL,
    kinds text NOT NULL,
    -- The run of the server on which it holds the lock on its name; NULL if it holds none.
    server text
  );

  -- One row per source: what its receivers saw of signatures, and nothing of a request. Written at most every 10 seconds.
  CREATE TABLE @.sender (
    source text COLLATE "C" PRIMARY KEY,
    -- The latest authentic delivery.
    authentic_at bigint,
    -- Deliveries since then that match no secret, and how many different bodies they had.
    mismatches bigint NOT NULL DEFAULT 0,
    bodies bigint NOT NULL DEFAULT 0,
    mismatched_from bigint,
    mismatched_to bigint,
    -- The events and the longest gap of each of 14 days, as JSON.
    days text NOT NULL DEFAULT '[]'
  );

  -- What must not run now: a scope is 'kind', 'handler', 'target', 'source', 'retry', or 'all' with an empty name.
  CREATE TABLE @.paused (
    scope text COLLATE "C" NOT NULL,
    name text COLLATE "C" NOT NULL,
    since bigint NOT NULL,
    who text NOT NULL,
    PRIMARY KEY (scope, name)
  );

  -- One row per retry at a measured pace, until none of its entries waits: those have the reason 'paced_' and its number.
  CREATE SEQUENCE @.pace_id;
  CREATE TABLE @.pace (
    id bigint PRIMARY KEY,
    since bigint NOT NULL,
    who text NOT NULL,
    interval_ms double precision NOT NULL,
    entries bigint NOT NULL,
    -- When the last of them is due: a due time up to then is not that of a clock that was set back.
    due_until bigint NOT NULL
  );

  -- The entries of an erasure that has not ended, for the receipt of the next one if it never does.
  CREATE TABLE @.erased (seq bigint PRIMARY KEY, erased_at bigint NOT NULL);
`;
