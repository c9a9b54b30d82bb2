import { durationText } from "../../../base/text/duration-text.ts";
import type { Durations, Overview } from "../../overview/overview-api.ts";
import { Command } from "../parts/button.tsx";
import { visible } from "../parts/format.ts";

export function DurationsTable({ latency, durations }: Pick<Overview, "latency" | "durations">) {
  return (
    <section class="panel" aria-labelledby="durations-title">
      <h2 id="durations-title">Durations</h2>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, so it must be reachable */}
      <div class="wide-table" tabIndex={0}>
        <table>
          <thead>
            <tr>
              {["what", "count", "failed", "median", "95 %", "longest"].map((title) => (
                <th key={title} scope="col">
                  {title}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            <Line name="answer to the sender" failed="" {...latency} />
            {durations.map(({ kind, failed, ...times }) => (
              <Line
                key={kind}
                name={visible(kind)}
                failed={failed.toLocaleString("en")}
                {...times}
              />
            ))}
          </tbody>
        </table>
      </div>
      {durations.length === 0 && (
        <>
          <p class="quiet">No handler has run since listen started.</p>
          <Command words="listen --handlers handlers/" />
          <Command words="listen --forward-to 3000/webhooks" />
        </>
      )}
    </section>
  );
}

function Line({ name, failed, count, ...times }: Durations & { name: string; failed: string }) {
  return (
    <tr>
      <th scope="row">{name}</th>
      <td>{count.toLocaleString("en")}</td>
      <td class={failed === "0" ? "quiet" : "failed"}>{failed}</td>
      {[times.median, times.p95, times.longest].map((time, index) => (
        <td key={index}>{count === 0 ? "" : durationText(time)}</td>
      ))}
    </tr>
  );
}
