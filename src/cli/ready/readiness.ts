import { HookporterError } from "../../base/errors.ts";

interface ReadyCheck {
  /** One word for `/readyz`. */
  readonly name: string;
  /**
   * Evaluated for each request: whether it holds, or the code of why it does not. A thrown error
   * counts as false.
   */
  readonly holds: () => boolean | string | Promise<boolean | string>;
}

interface ReadyState {
  readonly ready: boolean;
  readonly checks: Readonly<Record<string, boolean>>;
  /** Why those do not hold of which that is known, as codes. */
  readonly reasons?: Readonly<Record<string, string>>;
  /** What is paused, in words; that does not keep deliveries out. */
  readonly paused?: readonly string[];
}

/** The checks that decide whether deliveries can arrive. */
export class Readiness {
  readonly #checks: ReadyCheck[] = [];
  readonly #paused: () => Promise<readonly string[]>;

  constructor(paused: () => Promise<readonly string[]> = () => Promise.resolve([])) {
    this.#paused = paused;
  }

  add(check: ReadyCheck): void {
    this.#checks.push(check);
  }

  async ask(): Promise<ReadyState> {
    const answers = await Promise.all(
      this.#checks.map(async ({ name, holds }) => [name, await answerOf(holds)] as const),
    );
    const paused = await this.#paused().catch(() => []);
    const reasons = answers.filter(
      (answer): answer is [string, string] => typeof answer[1] === "string",
    );
    return {
      ready: answers.every(([, held]) => held === true),
      checks: Object.fromEntries(answers.map(([name, held]) => [name, held === true])),
      ...(paused.length > 0 && { paused }),
      ...(reasons.length > 0 && { reasons: Object.fromEntries(reasons) }),
    };
  }
}

async function answerOf(holds: ReadyCheck["holds"]): Promise<boolean | string> {
  try {
    return await holds();
  } catch (thrown) {
    return thrown instanceof HookporterError ? thrown.code : false;
  }
}
