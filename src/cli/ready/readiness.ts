/** One condition for being ready. */
interface ReadyCheck {
  /** One word for `/readyz`. */
  readonly name: string;
  /** Evaluated for each request; a thrown error counts as false. */
  readonly holds: () => boolean | Promise<boolean>;
}

interface ReadyState {
  /** Whether all checks hold. */
  readonly ready: boolean;
  /** Each check by name, and whether it holds. */
  readonly checks: Readonly<Record<string, boolean>>;
}

/** The checks that decide whether deliveries can arrive. */
export class Readiness {
  readonly #checks: ReadyCheck[] = [];

  add(check: ReadyCheck): void {
    this.#checks.push(check);
  }

  /** Evaluates all checks now. */
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
