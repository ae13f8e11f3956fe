/** A file that can't be used: where and why. All of the load is refused with it. */
export class RlsConfigError extends Error {
  override readonly name = 'RlsConfigError';
  readonly file: string;
  readonly line: number;
  readonly problem: string;

  constructor(place: Place, problem: string) {
    super(`${place.file}:${place.line}: ${problem}`);
    this.file = place.file;
    this.line = place.line;
    this.problem = problem;
  }
}

export type Place = { readonly file: string; readonly line: number };
