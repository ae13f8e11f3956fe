// The figures of campaigns as a table, for the terminal and for docs/reliability.md.

/**
 * @typedef {object} Figure
 * @property {string} name
 * @property {number} measured
 * @property {string} target
 * @property {boolean} isMet
 */

/**
 * @typedef {object} Result
 * @property {string} id
 * @property {string} name
 * @property {number | null} [scale] 1 is the full size; null the short form
 * @property {readonly Figure[]} figures
 * @property {readonly string[]} notes
 */

/**
 * The newest result of each campaign, in the order of their ids.
 * @param {string} text one result a line
 * @returns {readonly Result[]}
 */
export function readResults(text) {
  /** @type {Map<string, Result>} */
  const newest = new Map();
  for (const line of text.split('\n')) {
    if (line.trim() === '') continue;
    /** @type {Result} */
    const result = JSON.parse(line);
    newest.set(`${result.id} ${result.name}`, result);
  }
  return [...newest.values()].toSorted((a, b) => a.id.localeCompare(b.id));
}

/** @param {string} text one result a line */
export function renderFaultTable(text) {
  const rows = readResults(text).flatMap(({ id, name: title, scale, figures, notes }) => {
    const name = `${title}${sizeOf(scale)}`;
    return [
      ...figures.map((figure, at) => rowOf(at === 0 ? [id, name] : ['', ''], figure)),
      ...(figures.length === 0 ? [rowOf([id, name], null)] : []),
      ...notes.map((note) => `| | | _${note}_ | | | |`),
    ];
  });
  return [
    '| test | what is done | figure | target | measured | |',
    '|---|---|---|---|---|---|',
    ...rows,
  ].join('\n');
}

/**
 * A table with the rows of those campaigns that another has anew, and all others as they are.
 * @param {string} table
 * @param {string} newer
 */
export function mergeFaultTables(table, newer) {
  const [head, before, after] = [newer.split('\n').slice(0, 2), groupsOf(table), groupsOf(newer)];
  const ids = [...new Set([...before.keys(), ...after.keys()])].toSorted();
  const rows = ids.flatMap((id) => after.get(id) ?? before.get(id) ?? []);
  return [...head, ...rows].join('\n');
}

/**
 * The rows of each campaign: one with its id, and those below it without.
 * @param {string} table
 * @returns {Map<string, string[]>}
 */
function groupsOf(table) {
  /** @type {Map<string, string[]>} */
  const groups = new Map();
  let id = '';
  for (const row of table.trim().split('\n').slice(2)) {
    id = /^\| (T\d+) /.exec(row)?.[1] ?? id;
    groups.set(id, [...(groups.get(id) ?? []), row]);
  }
  return groups;
}

/** @param {number | null | undefined} scale */
function sizeOf(scale) {
  if (scale === 1) return '';
  return typeof scale === 'number'
    ? ` (${Number((100 * scale).toPrecision(2))} % of its size)`
    : ' (short form)';
}

/**
 * @param {readonly [id: string, name: string]} of
 * @param {Figure | null} figure
 */
function rowOf([id, name], figure) {
  if (!figure) return `| ${id} | ${name} | | | | not shown |`;
  const begin = id === '' ? '| |' : `| ${id} | ${name}`;
  const { name: what, target, measured, isMet } = figure;
  return `${begin} | ${what} | ${target} | ${shown(measured)} | ${isMet ? 'ok' : 'missed'} |`;
}

/** @param {number | null} value JSON has no word for what is not finite */
function shown(value) {
  if (value === null) return '–';
  return Number.isInteger(value) ? String(value) : String(Number(value.toPrecision(3)));
}
