import { expect, it } from "vitest";
import { CliCommand } from "../../../src/cli/cli-command.ts";
import { addChaosOptions, datedTo } from "../../../src/cli/send/chaos-options.ts";
import { isSettingOnly } from "../../../src/cli/settings/command-tree.ts";
import { readPage, rowsOf } from "../../docs/markdown.ts";

/** The flags of a command's page, each with its default and its meaning. */
function onPage(command: string): ReadonlyMap<string, readonly string[]> {
  const rows = rowsOf(readPage(`docs/reference/cli/${command}.md`));
  const plain = rows.map((cells) => cells.map((cell) => cell.replaceAll("`", "")));
  return new Map(
    plain.map(([flag = "", , fallback = "", meaning = ""]) => [flag, [fallback, meaning]]),
  );
}

/** What the help says of each flag: its default and its meaning. */
function inHelp(failFast?: string): ReadonlyMap<string, readonly string[]> {
  const { options } = addChaosOptions(
    new CliCommand("send"),
    failFast === undefined ? {} : { failFastHelp: failFast },
  );
  return new Map(
    options
      .filter((option) => !isSettingOnly(option))
      .map(({ flags, description }) => {
        const [, meaning = "", fallback = ""] =
          /^(.*?)(?: \(default: (.*)\))?$/.exec(description) ?? [];
        return [flags, [fallback, meaning]];
      }),
  );
}

it.each([...inHelp().keys()])("the help says of %s what its page says", (flag) => {
  expect(inHelp().get(flag)).toEqual(onPage("trigger").get(flag));
});

it("the help of replay says what else --fail-fast stops at", () => {
  const help = inHelp("the first file that is not valid, and ");
  expect(help.get("--fail-fast")).toEqual(onPage("replay").get("--fail-fast"));
});

it("events are dated to the clock, before or after it", () => {
  expect(datedTo(1000, {})).toBe(1000);
  expect(datedTo(1000, { stale: 300 })).toBe(700);
  expect(datedTo(1000, { future: 300 })).toBe(1300);
});
