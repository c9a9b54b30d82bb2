/** One thing that must hold before deliveries can come. */
export interface ReadyCheck {
  /** One word for `/readyz`. */
  readonly name: string;
  /** Asked anew each time; what it throws counts as no. */
  readonly holds: () => boolean | Promise<boolean>;
}

/** What readiness comes to, and what stands in its way. */
export interface ReadyState {
  /** Whether all checks hold. */
  readonly ready: boolean;
  /** Each check by name, and whether it holds. */
  readonly checks: Readonly<Record<string, boolean>>;
}

/** The checks that decide whether deliveries can come. */
export class Readiness {
  readonly #checks: ReadyCheck[] = [];

  /** Asks this too from now on. */
  add(check: ReadyCheck): void {
    this.#checks.push(check);
  }

  /** Asks all of them now. */
  async ask(): Promise<ReadyState> {
    const answers = await Promise.all(
      this.#checks.map(async ({ name, holds }) => [name, await answerOf(holds)] as const),
    );
    return { ready: answers.every(([, held]) => held), checks: Object.fromEntries(answers) };
  }
}

async function answerOf(holds: ReadyCheck["holds"]): Promise<boolean> {
  try {
    return await holds();
  } catch {
    return false;
  }
}
