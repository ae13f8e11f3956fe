import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { expect } from 'vitest';
import type { Visitor } from './visitor.ts';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const everything = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];

type Violation = { readonly id: string; readonly nodes: readonly { readonly html: string }[] };

/**
 * Nothing on the page, as it is now, is out of reach for who can't see, point or tell colours: in
 * light, and in dark what may differ there. Of a part of it alone where that is named.
 */
export async function checkAccess({ page }: Visitor, within = 'html'): Promise<void> {
  // Through the debugger, which the page's policy does not bind.
  await page.evaluate(axe);
  const look = async (theme: 'light' | 'dark', rules: readonly string[]) => {
    await page.emulateMedia({ colorScheme: theme, reducedMotion: 'reduce' });
    await page.evaluate('new Promise((done) => requestAnimationFrame(() => setTimeout(done)))');
    const { violations } = (await page.evaluate(
      `axe.run(${JSON.stringify(within)}, { runOnly: ${JSON.stringify(rules)}, resultTypes: ['violations'] })`,
    )) as { readonly violations: readonly Violation[] };
    return violations.map(
      ({ id, nodes }) => `${theme} ${id}: ${nodes.map(({ html }) => html).join(' ')}`,
    );
  };
  expect([
    ...(await look('light', everything)),
    ...(await look('dark', ['color-contrast'])),
  ]).toEqual([]);
}
