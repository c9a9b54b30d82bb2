/** What a new user typed until one signed delivery was handled, and how long the machine took. */
export interface Walk {
  readonly name: string;
  /** The lines typed into terminals. */
  readonly commands: readonly string[];
  /** The files written or pasted. */
  readonly files: readonly string[];
  readonly seconds: Seconds;
}

export interface Seconds {
  /** Creating the project. */
  readonly create: number;
  /** `npm install`. */
  readonly install: number;
  /** From the server's start until it answers. */
  readonly start: number;
  /** From sending a delivery until its handler has printed a line. */
  readonly deliver: number;
}

/** Keys pressed in terminals: each character, and Enter after each line. */
export function keys({ commands }: Walk): number {
  return commands.reduce((sum, command) => sum + command.length + 1, 0);
}

export function characters({ files }: Walk): number {
  return files.reduce((sum, file) => sum + file.length, 0);
}

export function total({ seconds: { create, install, start, deliver } }: Walk): number {
  return create + install + start + deliver;
}
