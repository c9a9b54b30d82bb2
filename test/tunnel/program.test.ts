import { describe, expect, it, onTestFinished } from "vitest";
import { type ProgramEnd, startProgram } from "../../src/tunnel/program.ts";
import { untilTrue } from "./machine.ts";
import { isAlive } from "./processes.ts";

describe.skipIf(process.platform === "win32")("a program", () => {
  it("reports its lines and its end, once", async () => {
    const { told, ended } = start("echo one; echo two >&2; printf three; exit 7");
    expect(await ended).toMatchObject({ exitCode: 7, signal: null });
    expect(told.sort()).toEqual(["stderr two", "stdout one", "stdout three"]);
  });

  it("reports why it could not be started", async () => {
    const { ended, program } = start("", "no-such-program");
    expect((await ended).error?.message).toContain("ENOENT");
    await program.end();
  });

  it("has an input that stays open", async () => {
    const { told } = start("echo started; cat; echo ended");
    await untilTrue(() => told.length === 1);
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(told).toEqual(["stdout started"]);
  });

  it("is killed if it does not end, and reports nothing more", async () => {
    const { program, told } = start(
      "trap '' TERM; echo $$; while true; do sleep 0.05; echo more; done",
    );
    await untilTrue(() => told.length > 0);
    const pid = Number(told[0]?.split(" ")[1]);
    const ending = program.end();
    const count = told.length;
    await ending;
    expect(told).toHaveLength(count);
    await untilTrue(() => !isAlive(pid));
    await program.end(); // a second call must be harmless
  });

  it("has ended even if a process it left behind holds its output", async () => {
    const { told, ended } = start("sleep 60 & echo $!");
    expect(await ended).toMatchObject({ exitCode: 0 });
    process.kill(Number(told[0]?.split(" ")[1]));
  });
});

function start(script: string, name = "/bin/sh") {
  const told: string[] = [];
  let end: (end: ProgramEnd) => void = () => {};
  const ended = new Promise<ProgramEnd>((resolve) => {
    end = resolve;
  });
  const program = startProgram({
    program: name,
    argv: ["-c", script],
    onLine: (line, stream) => told.push(`${stream} ${line}`),
    onEnd: (how) => end(how),
  });
  onTestFinished(() => program.end());
  return { program, told, ended };
}
