// Writes the figures of the last `npm run test:faults` into docs/reliability.md, in the place of those
// that the same campaigns had; what did not run stays as it is.
// `node scripts/reliability-table.mjs [results]`

import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { mergeFaultTables, renderFaultTable } from './fault-table.mjs';

const pagePath = fileURLToPath(new URL('../docs/reliability.md', import.meta.url));
const defaultResults = fileURLToPath(
  new URL('../node_modules/.cache/sluice/faults.jsonl', import.meta.url),
);
const [begin, end] = ['<!-- figures: begin -->', '<!-- figures: end -->'];

const results = readFileSync(process.argv[2] ?? defaultResults, 'utf8');
const page = readFileSync(pagePath, 'utf8');
const [before, rest] = page.split(begin);
const [table, after] = rest?.split(end) ?? [];
if (before === undefined || table === undefined || after === undefined) {
  throw new Error(`docs/reliability.md has no place for the figures: ${begin} … ${end}`);
}
const merged = mergeFaultTables(table, renderFaultTable(results));
writeFileSync(pagePath, `${before}${begin}\n\n${merged}\n\n${end}${after}`);
