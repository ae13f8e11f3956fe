/** A file or resource that can't be used: where and why. All of the load is refused with it. */
export class RlsConfigError extends Error {
  override readonly name = 'RlsConfigError';
  readonly file: string;
  readonly line: number;
  readonly problem: string;

  constructor(place: Place, problem: string) {
    super(`${place.line === noLine ? place.file : `${place.file}:${place.line}`}: ${problem}`);
    this.file = place.file;
    this.line = place.line;
    this.problem = problem;
  }
}

/** The line of what has none. */
export const noLine = 0;

export type Place = { readonly file: string; readonly line: number };
