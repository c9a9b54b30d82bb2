import { createContext } from "../../src/cli/context.ts";
import { createProgram } from "../../src/cli/program.ts";
import { commandName, leaves } from "../../src/cli/settings/command-tree.ts";
import { fakeIo } from "./fake-io.ts";

export const program = createProgram(createContext(fakeIo({ cwd: "." }).io));

/** Every command that does something, and its name. */
export const commands = leaves(program).map((command) => [commandName(command), command] as const);
