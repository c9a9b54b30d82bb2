import { Registry } from "prom-client";
import { expect, it } from "vitest";
import { collectMetrics } from "../../src/entries/metrics.ts";
import { handleOf } from "../../src/inbox/shared/handle.ts";
import { sqliteInbox } from "../../src/inbox/sqlite.ts";
import { openReceiver } from "../receiver/open.ts";
import { inboxFile } from "../receiver/sample.ts";
import { quoted, readPage, rowsOf, sectionOf } from "./markdown.ts";

const page = readPage("docs/metrics.md");

it("the page lists every metric, with its type and labels", async () => {
  const { receiver } = await openReceiver({ inbox: handleOf(sqliteInbox(inboxFile())) });
  const registry = new Registry();
  collectMetrics(receiver, { registry });
  const described = rowsOf(sectionOf(page, "The metrics")).map(([name = "", type, labels = ""]) => {
    return { name: quoted(name)[0], type, labels: quoted(labels) };
  });
  const registered = registry.getMetricsAsArray().map((metric) => {
    const {
      name,
      type,
      labelNames = [],
    } = metric as typeof metric & { labelNames?: readonly string[] };
    return { name, type: String(type), labels: [...labelNames] };
  });
  const byName = (a: { name?: string | undefined }, b: { name?: string | undefined }) =>
    (a.name ?? "") < (b.name ?? "") ? -1 : 1;
  expect(registered.length).toBeGreaterThan(15);
  expect(described.sort(byName)).toEqual(registered.sort(byName));
});
