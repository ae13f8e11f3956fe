import { expect } from 'vitest';
import { InvalidInput } from 'sluice';

/** What an error must do: say what to write instead, not only that something is wrong. */
const advice =
  /must|write|use |give|leave|needs|at most|known are|lower|takes|is what|each part|required|names a part twice|is too large/;

/** The field that an input was refused for; throws whatever else happens. */
export async function refusedField(work: () => unknown): Promise<string> {
  let result: unknown;
  try {
    result = await work();
  } catch (error) {
    if (!(error instanceof InvalidInput)) throw error;
    expect(error.code).toBe('invalid_input');
    expect(error.message).toContain(error.field);
    expect(error.message).toMatch(advice);
    // Short enough to log, whatever was passed in, and without any of it that may be a secret.
    expect(error.message.length).toBeLessThan(700);
    expect(error.message).not.toContain(canary);
    return error.field;
  }
  throw new Error(`accepted, and answered ${String(result)}`);
}

/** Part of every bad value that could be somebody's name or secret. */
export const canary = 'canary';

export const megabyte = canary.repeat(175_000);
export const loneSurrogate = `${canary}\ud800`;

/** Past the types, as a caller in plain JavaScript. */
export function untyped(value: unknown): never {
  return value as never;
}
