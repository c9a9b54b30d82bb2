import type { RunDetail } from "../../api.ts";
import { visible } from "../parts/format.ts";

const CAUSE = " ← ";

export function ErrorText({ run }: { run: RunDetail }) {
  const [message = "", ...causes] = causesOf(run);
  return (
    <div class="error-text">
      <p class="headline">{visible(message, { lines: true })}</p>
      {run.failure?.at != null && (
        <p class="place">
          at <code>{visible(run.failure.at)}</code>
        </p>
      )}
      {causes.map((cause, index) => (
        <p key={index} class="cause">
          caused by: {visible(cause, { lines: true })}
        </p>
      ))}
    </div>
  );
}

/** A run's error, with its name if that says something, followed by its causes. */
function causesOf({ error, failure, outcome }: RunDetail): readonly string[] {
  if (error === null) return [outcome === "timeout" ? "timed out" : "failed"];
  const [message = "", ...causes] = error.split(CAUSE);
  const name = failure?.name ?? "Error";
  const isInformative =
    name.endsWith("Error") &&
    name !== "Error" &&
    name !== "HookporterError" &&
    !message.startsWith(name);
  return [isInformative ? `${name}: ${message}` : message, ...causes];
}
