import type { Finding } from './lint.ts';

const told = new Set<string>();

/** Once for each place, and only to who develops: not in production, and not in tests. */
export function warnOf(findings: readonly Finding[]): void {
  if (findings.length === 0 || !isDeveloped()) return;
  for (const { code, field, message } of findings) {
    const name = `${code} ${field}`;
    if (told.has(name)) continue;
    told.add(name);
    process.emitWarning(`${field}: ${message}`, { type: 'SluiceWarning', code });
  }
}

/** As everybody has it: what is neither production nor a test. */
export function isDeveloped(): boolean {
  const mode = globalThis.process?.env?.['NODE_ENV'];
  return mode !== 'production' && mode !== 'test' && typeof process.emitWarning === 'function';
}
