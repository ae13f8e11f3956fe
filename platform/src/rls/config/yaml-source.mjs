// Reads YAML with the line of everything. Also the thread that does so for large files: it takes
// milliseconds for each rule, and nobody may wait for that. Plain JavaScript, because a thread of its
// own can't be started from TypeScript in every way this program is run.

import { isMainThread, parentPort, workerData } from 'node:worker_threads';
import { isAlias, isMap, isScalar, isSeq, LineCounter, parseDocument } from 'yaml';

/**
 * A value in a file, and the line it stands on.
 * @typedef {{ readonly kind: 'scalar', readonly line: number, readonly value: unknown, readonly text: string }
 *   | { readonly kind: 'list', readonly line: number, readonly items: readonly Source[] }
 *   | { readonly kind: 'map', readonly line: number, readonly fields: readonly SourceField[] }} Source
 * @typedef {{ readonly key: Source, readonly value: Source }} SourceField
 * @typedef {{ readonly source: Source } | { readonly problem: string, readonly line: number }} SourceRead
 */

/** Aliases may make much of little. */
const sourcesMax = 400_000;
/** Far deeper than anybody nests descriptors, far shallower than what a stack holds. */
const depthMax = 100;

class Problem extends Error {
  /**
   * @param {number} line
   * @param {string} problem
   */
  constructor(line, problem) {
    super(`error loading config file: ${problem}`);
    this.line = line;
  }
}

/**
 * What a file says, by the YAML that the reference service reads: 1.1, with anchors and merges.
 * @param {string} text
 * @returns {SourceRead}
 */
export function readSource(text) {
  const lines = new LineCounter();
  const document = parseDocument(text, {
    version: '1.1',
    lineCounter: lines,
    prettyErrors: false,
    strict: true,
  });
  /** @param {number} offset */
  const lineAt = (offset) => lines.linePos(offset).line || 1;
  const [error] = document.errors;
  if (error) {
    const problem = `error loading config file: ${error.message.split('\n')[0]}`;
    return { problem, line: lineAt(error.pos[0]) };
  }
  let read = 0;
  /** In the order of the file: the library would look for each anew in all of it. */
  const anchored = new Map();

  /**
   * @param {unknown} given
   * @param {number} parentLine
   * @param {number} depth
   * @returns {Source}
   */
  function walk(given, parentLine, depth) {
    // An alias stands where it is used.
    const line = lineOf(given, parentLine);
    const node = isAlias(given) ? anchored.get(given.source) : given;
    const { anchor } = /** @type {{ anchor?: string }} */ (given ?? {});
    if (anchor !== undefined) anchored.set(anchor, given);
    read += 1;
    if (read > sourcesMax || depth > depthMax) {
      throw new Problem(line, 'too large or nested too deeply');
    }
    if (isMap(node)) return { kind: 'map', line, fields: fieldsOf(node.items, line, depth) };
    if (isSeq(node)) {
      return { kind: 'list', line, items: node.items.map((item) => walk(item, line, depth + 1)) };
    }
    if (!isScalar(node)) return { kind: 'scalar', line, value: null, text: '' };
    return { kind: 'scalar', line, value: plain(node.value), text: textOf(node) };
  }

  /**
   * @param {readonly { key: unknown, value: unknown }[]} items
   * @param {number} line
   * @param {number} depth
   * @returns {SourceField[]}
   */
  function fieldsOf(items, line, depth) {
    /** @type {SourceField[]} */
    const own = [];
    /** @type {SourceField[]} */
    const merged = [];
    for (const { key, value } of items) {
      if (isScalar(key) && key.source === '<<') {
        merged.push(...mergedIn(walk(value, line, depth + 1)));
      } else {
        const keySource = walk(key, line, depth + 1);
        own.push({ key: keySource, value: walk(value, keySource.line, depth + 1) });
      }
    }
    return [...own, ...merged.filter((field) => !own.some((one) => isSameKey(one, field)))];
  }

  /**
   * @param {unknown} node
   * @param {number} parentLine
   */
  function lineOf(node, parentLine) {
    const { range } = /** @type {{ range?: readonly number[] | null }} */ (node ?? {});
    return range?.[0] === undefined ? parentLine : lineAt(range[0]);
  }

  try {
    return { source: walk(document.contents, 1, 0) };
  } catch (problem) {
    if (!(problem instanceof Problem)) throw problem;
    return { problem: problem.message, line: problem.line };
  }
}

/**
 * @param {Source} source
 * @returns {readonly SourceField[]}
 */
function mergedIn(source) {
  if (source.kind === 'map') return source.fields;
  if (source.kind === 'list') return source.items.flatMap(mergedIn);
  throw new Problem(source.line, '<< merges maps only');
}

/**
 * @param {SourceField} a
 * @param {SourceField} b
 */
function isSameKey(a, b) {
  return a.key.kind === 'scalar' && b.key.kind === 'scalar' && a.key.text === b.key.text;
}

/**
 * What can be sent to another thread.
 * @param {unknown} value
 */
function plain(value) {
  const isPlain = value === null || ['string', 'number', 'boolean'].includes(typeof value);
  return isPlain ? value : undefined;
}

/**
 * As it is written: to a text, `value: 010` and `value: yes` mean these letters.
 * @param {{ value: unknown, source?: string }} scalar
 */
function textOf({ value, source }) {
  if (value === null || value === undefined) return '';
  return typeof value === 'string' ? value : (source ?? '');
}

/** @type {{ rlsTexts?: readonly string[] }} */
const asked = isMainThread ? {} : (workerData ?? {});
if (asked.rlsTexts && parentPort) parentPort.postMessage(asked.rlsTexts.map(readSource), []);
