/**
 * JSON that reads the same and has as many bytes as letters: what is not ASCII stands in it as an escape.
 * Only texts within JSON can have such letters.
 */
export function inAscii(json: string): string {
  return json.replace(notAscii, escaped);
}

const notAscii = /[^\0-\x7e]/g;

function escaped(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
