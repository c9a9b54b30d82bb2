import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { describe, expect, it, onTestFinished } from "vitest";
import { postgresStore } from "../../../src/inbox/postgres.ts";
import { keptLog, until } from "../../receiver/sample.ts";
import { makeCertificate } from "../../relay/tunnel/edge/certificate.ts";
import { keep, numberedEntry } from "../entries.ts";
import { NO_SERVER, startPostgres } from "./server.ts";

describe.skipIf(NO_SERVER !== undefined || process.env.HOOKPORTER_POSTGRES_URL !== undefined)(
  "a server with a certificate of its provider's own authority",
  () => {
    /**
     * The server, and files with bundles of certificates as Amazon RDS has them: many authorities
     * one after another.
     */
    const start = async () => {
      const certificate = makeCertificate();
      const server = await startPostgres({}, certificate);
      onTestFinished(() => server.stop());
      const folder = mkdtempSync(join(tmpdir(), "hookporter-bundle-"));
      onTestFinished(() => rmSync(folder, { recursive: true }));
      const bundle = (name: string, ...certificates: string[]) => {
        const file = join(folder, name);
        writeFileSync(file, certificates.join("\n"));
        return file;
      };
      const others = ["one", "two", "three"].map((name) => makeCertificate(Date.now(), name).cert);
      return {
        url: server.url.replace("127.0.0.1", "localhost"),
        whole: bundle("eu-central-1-bundle.pem", ...others, certificate.cert),
        foreign: bundle("us-east-1-bundle.pem", ...others),
      };
    };

    it("is trusted by the bundle of its region, and not without it or by another's; each error says what to add", async () => {
      const { url, whole, foreign } = await start();
      const openWith = async (parameters: string) => {
        const inbox = postgresStore(`${url}?${parameters}`, { schema: "trusted" });
        await inbox.open();
        onTestFinished(() => inbox.close());
        return inbox;
      };
      const inbox = await openWith(`sslmode=verify-full&sslrootcert=${whole}`);
      expect(await keep(inbox, numberedEntry(1))).toMatchObject({ duplicate: false });
      for (const parameters of [
        `sslmode=verify-full&sslrootcert=${foreign}`,
        "sslmode=verify-full",
      ])
        await expect(openWith(parameters)).rejects.toMatchObject({
          code: "inbox_unavailable",
          message: expect.stringMatching(/sslrootcert=FILE/),
        });
      await openWith("sslmode=no-verify");
      const warnings: string[] = [];
      const unsaid = postgresStore(url, { schema: "unsaid" });
      await unsaid.open({
        log: { ...keptLog().log, warn: (_, text) => void warnings.push(text) },
      });
      onTestFinished(() => unsaid.close());
      await until(() => expect(unsaid.supportsNotify).toBe(true));
      const client = new pg.Client({ connectionString: `${url}?sslmode=disable` });
      await client.connect();
      const { rows } = await client.query(
        "SELECT ssl, count(*)::int AS n FROM pg_stat_ssl JOIN pg_stat_activity USING (pid) WHERE application_name LIKE 'hookporter%' GROUP BY 1",
      );
      await client.end();
      expect(rows).toEqual([{ ssl: true, n: expect.any(Number) }]);
      expect(warnings).toEqual([]);
      expect(await keep(unsaid, numberedEntry(2))).toMatchObject({ duplicate: false });
      await expect(openWith("sslmode=verify-full&sslrootcert=/nowhere/bundle.pem")).rejects.toThrow(
        /nowhere\/bundle\.pem/,
      );
    });
  },
);
