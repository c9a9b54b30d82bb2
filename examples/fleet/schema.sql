-- The application's own table. The inbox makes its tables in a schema of its own.
CREATE TABLE booked (event_id text PRIMARY KEY, kind text NOT NULL, booked_at timestamptz NOT NULL DEFAULT now());
