import { expect, it } from "vitest";
import { runCommand } from "../../../../tools/bench/load/run-command.ts";

const node = (code: string) => [process.execPath, "-e", code] as const;

it("a command is interrupted a given time after its first output, and its output is returned", async () => {
  const code = `
    process.on("SIGINT", () => { process.stdout.write("interrupted"); process.exit(); });
    setInterval(() => {}, 1000);
    process.stderr.write("ready");
  `;
  expect(await runCommand(node(code), { timeout: 60_000, interruptMs: 1 })).toBe("interrupted");
});

it("a command that ends earlier is not interrupted", async () => {
  const code = 'process.stderr.write("ready"); process.stdout.write("done");';
  expect(await runCommand(node(code), { timeout: 60_000, interruptMs: 60_000 })).toBe("done");
});

it("a failed command rejects with its output", async () => {
  const failing = runCommand(node('process.stderr.write("why"); process.exit(3)'), {
    timeout: 60_000,
  });
  await expect(failing).rejects.toThrow(/ended with 3: why/);
});
