import { InvalidInput } from '../core/errors.ts';
import { libraryNames } from './limit-fields.ts';
import { pathOf } from './wire-parse.ts';

const wireNames = new Map<string, string>(
  Object.entries({ ...libraryNames, max_delay_ms: 'maxDelayMs' }).map(([wire, library]) => [
    library,
    wire,
  ]),
);

/** Runs a parser of the library's words on `limit`; its errors speak of the API's. */
export function inWireWords(field: string, parse: () => unknown): void {
  try {
    parse();
  } catch (error) {
    if (!(error instanceof InvalidInput)) throw error;
    const name = error.field.slice('limit.'.length).split('.').map(wireName).join('.');
    throw new InvalidInput(pathOf(field, name), inWords(error.problem));
  }
}

function wireName(name: string): string {
  return wireNames.get(name) ?? name;
}

/** Only the library's own words look like this; the others are plain English. */
const libraryWord = /[a-z]+[A-Z][A-Za-z]+/g;

function inWords(problem: string): string {
  return problem.replaceAll(libraryWord, wireName);
}
