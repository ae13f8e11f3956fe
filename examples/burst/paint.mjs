// Colour and block characters on a terminal; plain ASCII in a log, a pipe, or when asked for.

const inColour =
  process.stdout.isTTY && (process.env['NO_COLOR'] ?? '') === '' && process.env['TERM'] !== 'dumb';

/** @param {string} text */
export function print(text) {
  process.stdout.write(`${text}\n`);
}

/** @param {string} code @returns {(text: string) => string} */
function paint(code) {
  return (text) => (inColour ? `\u001b[${code}m${text}\u001b[0m` : text);
}

export const bold = paint('1');
export const dim = paint('2');
export const green = paint('32');
export const red = paint('31');

export const allowedMark = green(inColour ? '▮' : '#');
export const refusedMark = red(inColour ? '·' : '.');
