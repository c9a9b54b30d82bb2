import { afterAll, describe, expect, it } from "vitest";
import { long } from "../../../long.ts";
import { openServer } from "../schemas.ts";
import { NO_POOLER, NO_SERVER, startPooler } from "../server.ts";
import { runDrill } from "./run-drill.ts";

/** `HOOKPORTER_DRILL_SECONDS` overrides it. */
const SECONDS = Number(process.env.HOOKPORTER_DRILL_SECONDS ?? long(40, 600));
const BACKLOG = long(2000, 20_000);

describe("processes on one inbox on PostgreSQL, with everything at random", async () => {
  if (NO_SERVER !== undefined) {
    it.skip(NO_SERVER, () => {});
    return;
  }
  const { server, newSchema } = await openServer();
  const pooler = NO_POOLER === undefined ? await startPooler(server) : undefined;
  afterAll(() => pooler?.stop());

  it.each([true, false])(
    `lose nothing and get stuck nowhere for ${SECONDS} seconds (with tx: %s)`,
    {
      timeout: 600_000 + SECONDS * 3000,
      retry: 0,
    },
    async (tx) => {
      const figures = await runDrill({
        server,
        pooler,
        schema: newSchema(),
        tx,
        seconds: SECONDS,
        backlog: BACKLOG,
      });
      process.stdout.write(`drill: ${JSON.stringify(figures)}\n`);
      expect(figures).toMatchObject({
        lost: 0,
        stuck: 0,
        keptTwice: 0,
        died: [],
        ranAgainWithoutCause: [],
      });
      if (tx) expect(figures.effectsTwice).toBe(0);
      else expect(figures.effectsTwice).toBeLessThanOrEqual(figures.again);
    },
  );
});
