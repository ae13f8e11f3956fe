import { buildConfig, type ReadFile, type RlsConfig, type TreeOptions } from './tree.ts';

/** Where rules come from. */
export type ConfigSource = {
  /** The last that could be used; null until there was one. */
  readonly config: RlsConfig | null;
  /** From now on it follows what changes. */
  open(): Promise<void>;
  close(): Promise<void>;
};

export type ConfigWatch = {
  /** Told of every load, and whether it can be used. */
  readonly onLoad: (isGood: boolean) => void;
  /** Once for each different problem. */
  readonly onProblem: (problem: string) => void;
  readonly onLoaded?: (domains: number) => void;
};

/** What is in force, wherever it comes from: what can't be used leaves what there was. */
export class CurrentConfig {
  readonly #options: TreeOptions & ConfigWatch;
  #config: RlsConfig | null = null;
  #problem: string | null = null;

  constructor(options: TreeOptions & ConfigWatch) {
    this.#options = options;
  }

  get config(): RlsConfig | null {
    return this.#config;
  }

  /** All of them or none. Returns what is wrong. */
  take(files: readonly ReadFile[]): string | null {
    try {
      this.#config = buildConfig(files, this.#options);
    } catch (error) {
      return this.refuse(error);
    }
    this.#problem = null;
    this.#options.onLoad(true);
    this.#options.onLoaded?.(this.#config.size);
    return null;
  }

  /** For what does not even get as far as rules. */
  refuse(error: unknown): string {
    const problem = error instanceof Error ? error.message : String(error);
    this.#options.onLoad(false);
    if (problem !== this.#problem) this.#options.onProblem(problem);
    this.#problem = problem;
    return problem;
  }
}
