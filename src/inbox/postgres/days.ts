import { DAILY, FIRST_TIME } from "./tables.ts";

// Each daily table has the partitions "old", one for each day, and "late". There is no DEFAULT
// partition: PostgreSQL would search it for each new day, and a day could not be made once it holds
// a row of that day. Rows after the last day go to "late", which itself becomes a partition of
// several days if days were not made in time; so nothing is ever refused. The functions run with
// the rights of the schema's owner, so that the inbox's user needs none to change it.

const HEAD =
  "LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET lock_timeout = '500ms' SET jit = off";
const TABLES = `ARRAY[${DAILY.map(([table]) => `'${table}'`).join(", ")}]`;
const COLUMNS = `ARRAY[${DAILY.map(([, column]) => `'${column}'`).join(", ")}]`;
const LOWEST = `CASE name WHEN 'entry' THEN '${FIRST_TIME}' ELSE 'MINVALUE' END`;
const DAY_MS = 86_400_000;

/** Makes "old" and "late", and the partition of keys that are no times; then the first days. */
export const FIRST_PARTITIONS = `
  DO $do$
  DECLARE
    today bigint := floor(extract(epoch FROM now()) / 86400)::bigint * ${DAY_MS};
    name text;
  BEGIN
    CREATE TABLE @.entry_untimed PARTITION OF @.entry FOR VALUES FROM (MINVALUE) TO (${FIRST_TIME});
    FOREACH name IN ARRAY ${TABLES} LOOP
      EXECUTE format('CREATE TABLE @.%I PARTITION OF @.%I FOR VALUES FROM (%s) TO (%s)', name || '_old', name, ${LOWEST}, today);
      EXECUTE format('CREATE TABLE @.%I PARTITION OF @.%I FOR VALUES FROM (%s) TO (%s)',
        name || '_' || today / ${DAY_MS}, name, today, today + ${DAY_MS});
      EXECUTE format('CREATE TABLE @.%I PARTITION OF @.%I FOR VALUES FROM (%s) TO (MAXVALUE)',
        name || '_late', name, today + ${DAY_MS});
    END LOOP;
    INSERT INTO @.day (first, until) VALUES (today, today + ${DAY_MS});
  END $do$;
`;

/**
 * Makes the partitions of the coming days; returns how many it made. Does nothing while another
 * process makes them.
 */
const MAKE_DAYS = `
  CREATE FUNCTION @.make_days(now_ms bigint, ahead int) RETURNS int ${HEAD} AS $body$
  DECLARE
    names text[] := ${TABLES};
    columns text[] := ${COLUMNS};
    start bigint;
    target bigint := (now_ms / ${DAY_MS} + ahead + 1) * ${DAY_MS};
    top bigint;
    latest bigint;
    boundary bigint;
    name text;
    made int := 0;
  BEGIN
    IF (SELECT max(until) FROM @.day) >= target THEN RETURN 0; END IF;
    IF NOT pg_try_advisory_xact_lock(hashtext('@.day')) THEN RETURN 0; END IF;
    SELECT max(until) INTO start FROM @.day;
    IF start >= target THEN RETURN 0; END IF;
    FOR i IN 1..array_length(names, 1) LOOP
      EXECUTE format('ALTER TABLE @.%I DETACH PARTITION @.%I', names[i], names[i] || '_late');
      EXECUTE format('SELECT max(%I) FROM @.%I WHERE %I < %s', columns[i], names[i] || '_late', columns[i], target) INTO latest;
      top := greatest(top, latest);
    END LOOP;
    boundary := CASE WHEN top IS NULL THEN start ELSE (top / ${DAY_MS} + 1) * ${DAY_MS} END;
    FOR i IN 1..array_length(names, 1) LOOP
      IF boundary > start THEN -- rows came after the last day: what holds them becomes a partition
        name := names[i] || '_' || start / ${DAY_MS};
        EXECUTE format('ALTER TABLE @.%I RENAME TO %I', names[i] || '_late', name);
        EXECUTE format('CREATE TABLE @.%I PARTITION OF @.%I FOR VALUES FROM (%s) TO (MAXVALUE)', names[i] || '_late', names[i], target);
        EXECUTE format('WITH moved AS (DELETE FROM @.%I WHERE %I >= %s RETURNING *) INSERT INTO @.%I SELECT * FROM moved',
          name, columns[i], boundary, names[i] || '_late');
        EXECUTE format('ALTER TABLE @.%I ATTACH PARTITION @.%I FOR VALUES FROM (%s) TO (%s)', names[i], name, start, boundary);
      ELSE
        EXECUTE format('ALTER TABLE @.%I ATTACH PARTITION @.%I FOR VALUES FROM (%s) TO (MAXVALUE)', names[i], names[i] || '_late', target);
      END IF;
    END LOOP;
    IF boundary > start THEN INSERT INTO @.day (first, until) VALUES (start, boundary); made := 1; END IF;
    WHILE boundary < target LOOP
      FOREACH name IN ARRAY names LOOP
        EXECUTE format('CREATE TABLE @.%I PARTITION OF @.%I FOR VALUES FROM (%s) TO (%s)',
          name || '_' || boundary / ${DAY_MS}, name, boundary, boundary + ${DAY_MS});
      END LOOP;
      INSERT INTO @.day (first, until) VALUES (boundary, boundary + ${DAY_MS});
      boundary := boundary + ${DAY_MS};
      made := made + 1;
    END LOOP;
    RETURN made;
  END $body$;
`;

/**
 * Drops the oldest day's partition of one table; rows to keep move to "old", which then reaches to
 * the day's end.
 */
const DROP_PARTITION = `
  CREATE FUNCTION @.drop_partition(name text, first bigint, until bigint, keep bigint[]) RETURNS void ${HEAD} AS $body$
  DECLARE
    part text := name || '_' || first / ${DAY_MS};
    old text := name || '_old';
  BEGIN
    EXECUTE format('ALTER TABLE @.%I DETACH PARTITION @.%I', name, part);
    EXECUTE format('ALTER TABLE @.%I DETACH PARTITION @.%I', name, old);
    EXECUTE format('INSERT INTO @.%I SELECT * FROM @.%I WHERE seq = ANY ($1)', old, part) USING keep;
    EXECUTE format('DROP TABLE @.%I', part);
    EXECUTE format('ALTER TABLE @.%I ATTACH PARTITION @.%I FOR VALUES FROM (%s) TO (%s)', name, old, ${LOWEST}, until);
  END $body$;
`;

/**
 * Drops the oldest day, if nearly all of its entries are to be pruned; returns how many those were,
 * and -1 if there is no such day. Holds the locks of the tables from before its first look, so
 * nothing changes in between.
 */
const DROP_DAY = `
  CREATE FUNCTION @.drop_day(states text[], received_until bigint, dated_until bigint, sources text[], whole_days boolean)
    RETURNS bigint
  ${HEAD} AS $body$
  DECLARE
    d record;
    pruned_handled bigint;
    keep bigint[];
    dropped bigint[];
    handled_part text;
    entry_part text;
    is_old constant text := 'received_at <= $2 AND dated <= $3 AND ($4 IS NULL OR source = ANY ($4))';
  BEGIN
    IF whole_days AND sources IS NOT NULL THEN
      INSERT INTO @.no_longer_needed AS n (source, received_to, dated_to)
        SELECT s, received_until, dated_until FROM unnest(sources) AS s ORDER BY s
        ON CONFLICT (source) DO UPDATE SET received_to = greatest(n.received_to, excluded.received_to),
          dated_to = greatest(n.dated_to, excluded.dated_to);
    END IF;
    SELECT first, until, slimmed INTO d FROM @.day ORDER BY first LIMIT 1;
    IF whole_days AND sources IS NOT NULL THEN
      SELECT least(dated_until, min(n.dated_to)), sources || coalesce(array_agg(n.source), '{}') INTO dated_until, sources
        FROM @.no_longer_needed n WHERE n.received_to >= d.until - 1 AND n.source <> ALL (sources);
    END IF;
    IF d.until > received_until + 1 OR (SELECT count(*) FROM @.day) < 2 OR NOT 'handled' = ANY (states) THEN RETURN -1; END IF;
    handled_part := 'handled_' || d.first / ${DAY_MS};
    entry_part := 'entry_' || d.first / ${DAY_MS};
    -- A look without locks, since most calls end here.
    EXECUTE format('SELECT count(*) FROM (SELECT 1 FROM @.%I WHERE NOT (' || is_old || ') LIMIT 5001) x', handled_part)
      USING states, received_until, dated_until, sources INTO pruned_handled;
    IF pruned_handled > 5000 THEN RETURN -1; END IF;
    IF NOT pg_try_advisory_xact_lock(hashtext('@.day')) THEN RETURN -1; END IF;
    LOCK TABLE @.turn, @.dead_or_received IN SHARE ROW EXCLUSIVE MODE;
    LOCK TABLE @.entry, @.delivery, @.handled, @.attempt, @.repeat IN ACCESS EXCLUSIVE MODE;
    PERFORM FROM @.pruned FOR UPDATE;
    IF NOT EXISTS (SELECT FROM @.day WHERE first = d.first AND slimmed = d.slimmed) THEN RETURN -1; END IF;
    EXECUTE format(
      'SELECT array_agg(seq) FROM (
         SELECT seq FROM @.turn WHERE received_at >= $5 AND received_at < $6 OR key_timestamp >= $5 AND key_timestamp < $6
         UNION SELECT seq FROM @.dead_or_received WHERE (received_at >= $5 AND received_at < $6 OR key_timestamp >= $5 AND key_timestamp < $6)
           AND NOT (state = ANY ($1) AND received_at >= $5 AND received_at < $6 AND ' || is_old || ')
         UNION SELECT seq FROM @.%I WHERE NOT (' || is_old || ')
         UNION SELECT seq FROM @.%I WHERE received_at < $5 OR received_at >= $6) kept',
      handled_part, entry_part)
      USING states, received_until, dated_until, sources, d.first, d.until INTO keep;
    keep := coalesce(keep, '{}');
    IF cardinality(keep) > 10000 THEN RETURN -1; END IF;
    EXECUTE format('SELECT count(*) FROM @.%I WHERE seq <> ALL ($1)', handled_part) USING keep INTO pruned_handled;
    SELECT coalesce(array_agg(seq), '{}') INTO dropped FROM @.dead_or_received
      WHERE received_at >= d.first AND received_at < d.until AND seq <> ALL (keep);
    EXECUTE format(
      'UPDATE @.pruned SET marks = marks || coalesce((
         SELECT jsonb_object_agg(source, greatest(dated, coalesce((marks ->> source)::bigint, dated))) FROM (
           SELECT source, max(dated) AS dated FROM (
             SELECT source, dated FROM @.%I WHERE seq <> ALL ($1) AND key_timestamp <> ${FIRST_TIME - 1}
             UNION ALL SELECT source, dated FROM @.dead_or_received WHERE seq = ANY ($2) AND key_timestamp <> ${FIRST_TIME - 1}) gone
           GROUP BY source) latest), ''{}'')', handled_part)
      USING keep, dropped;
    EXECUTE format(
      'DELETE FROM @.entry USING (
         SELECT seq, key_timestamp FROM @.%I WHERE seq <> ALL ($1)
         UNION ALL SELECT seq, key_timestamp FROM @.dead_or_received WHERE seq = ANY ($2)) gone
       WHERE entry.seq = gone.seq AND entry.key_timestamp = gone.key_timestamp
         AND (gone.key_timestamp < $3 OR gone.key_timestamp >= $4)', handled_part)
      USING keep, dropped, d.first, d.until;
    DELETE FROM @.dead_or_received WHERE seq = ANY (dropped);
    IF d.slimmed THEN
      DELETE FROM @.delivery WHERE received_at >= d.first AND received_at < d.until AND seq <> ALL (keep);
    ELSE
      PERFORM @.drop_partition('delivery', d.first, d.until, keep);
    END IF;
    PERFORM @.drop_partition('entry', d.first, d.until, keep);
    PERFORM @.drop_partition('handled', d.first, d.until, keep);
    PERFORM @.drop_partition('attempt', d.first, d.until, keep);
    PERFORM @.drop_partition('repeat', d.first, d.until, keep);
    DELETE FROM @.day WHERE first = d.first;
    RETURN pruned_handled + cardinality(dropped);
  END $body$;
`;

/**
 * Drops the deliveries of the oldest day that has them, if nearly all are of handled entries;
 * returns as drop_day does.
 */
const SLIM_DAY = `
  CREATE FUNCTION @.slim_day(settled_until bigint, sources text[], whole_days boolean) RETURNS bigint ${HEAD} AS $body$
  DECLARE
    d record;
    keep bigint[];
    part text;
    newest bigint;
    gone bigint;
  BEGIN
    IF whole_days AND sources IS NOT NULL THEN
      INSERT INTO @.no_longer_needed AS n (source, settled_to) SELECT s, settled_until FROM unnest(sources) AS s ORDER BY s
        ON CONFLICT (source) DO UPDATE SET settled_to = greatest(n.settled_to, excluded.settled_to);
    END IF;
    SELECT first, until INTO d FROM @.day WHERE NOT slimmed ORDER BY first LIMIT 1;
    IF whole_days AND sources IS NOT NULL THEN
      SELECT least(settled_until, min(n.settled_to)), sources || coalesce(array_agg(n.source), '{}') INTO settled_until, sources
        FROM @.no_longer_needed n WHERE n.settled_to >= d.until - 1 AND n.source <> ALL (sources);
    END IF;
    IF d.until > settled_until + 1 OR (SELECT count(*) FROM @.day WHERE NOT slimmed) < 2 THEN RETURN -1; END IF;
    IF NOT pg_try_advisory_xact_lock(hashtext('@.day')) THEN RETURN -1; END IF;
    IF NOT EXISTS (SELECT FROM @.day WHERE first = d.first AND NOT slimmed) THEN RETURN -1; END IF;
    part := 'delivery_' || d.first / ${DAY_MS};
    EXECUTE format('SELECT max(seq) FROM @.%I', part) INTO newest;
    EXECUTE format(
      'SELECT coalesce(array_agg(seq), ''{}'') FROM (
         SELECT p.seq FROM @.%I p LEFT JOIN @.handled e ON e.seq = p.seq AND e.received_at = p.received_at
           AND e.settled_at <= $1 AND ($2 IS NULL OR e.source = ANY ($2))
         WHERE e.seq IS NULL LIMIT 10001) kept', part)
      USING settled_until, sources INTO keep;
    IF cardinality(keep) > 10000 THEN RETURN -1; END IF;
    LOCK TABLE @.delivery IN ACCESS EXCLUSIVE MODE;
    -- What was handled stays handled; only rows that came meanwhile must be looked at again.
    EXECUTE format('SELECT $1 || coalesce(array_agg(seq), ''{}'') FROM @.%I WHERE seq > $2', part)
      USING keep, newest INTO keep;
    EXECUTE format('SELECT count(*) FROM @.%I WHERE seq <> ALL ($1)', part) USING keep INTO gone;
    PERFORM @.drop_partition('delivery', d.first, d.until, keep);
    UPDATE @.day SET slimmed = true WHERE first = d.first;
    RETURN gone;
  END $body$;
`;

/**
 * Collects the first statistics of what is waiting, once there is much of it: without them the
 * planner sorts all of it for each claim. Later ones are PostgreSQL's own work.
 */
const ANALYZE_FIRST = `
  CREATE FUNCTION @.analyze_first() RETURNS boolean ${HEAD} AS $body$
  BEGIN
    IF pg_relation_size('@.turn') < 160 * 1024 THEN RETURN false; END IF;
    IF EXISTS (SELECT FROM pg_statistic WHERE starelid = '@.turn'::regclass) THEN RETURN false; END IF;
    ANALYZE @.turn;
    RETURN true;
  END $body$;
`;

export const DAY_FUNCTIONS = [MAKE_DAYS, DROP_PARTITION, DROP_DAY, SLIM_DAY, ANALYZE_FIRST].join(
  "\n",
);
