// `sluice/lint`: the mistakes that people make, found before they cost anything. Pure: a
// configuration in, findings with stable codes out. Never looks at the text of a function.

export { lint, lintCodes, type Finding, type LintCode, type LintConfig } from './lint.ts';
export type { LintContext } from './lint.ts';
export { isDeveloped, warnOf } from './warn.ts';
