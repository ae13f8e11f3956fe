import { describe, expect, inject, it } from 'vitest';
import { useConsole } from './rig/visitor.ts';

const stage = useConsole();

describe('signing in', () => {
  it('takes a token that the service knows, for this tab, and never puts it in an address', async () => {
    const visitor = await stage.visit();
    const { page, context } = visitor;
    const addresses: string[] = [];
    page.on('request', (request) => addresses.push(request.url()));
    await visitor.signIn();
    await page.getByText('owner', { exact: true }).waitFor();
    await page.reload();
    await page.getByRole('button', { name: 'Sign out' }).waitFor();
    const { adminToken } = inject('stage');
    expect(page.url()).not.toContain(adminToken);
    expect(addresses.filter((url) => url.includes(adminToken))).toEqual([]);
    const kept = await page.evaluate('JSON.stringify({ ...localStorage })');
    expect(kept).not.toContain(adminToken);
    expect(JSON.stringify(await context.cookies())).toBe('[]');
    const other = await context.newPage();
    await other.goto(inject('stage').url);
    await other.getByRole('link', { name: 'Sign in' }).waitFor();
  });

  it('says so at the field when the token is wrong', async () => {
    const visitor = await stage.visit();
    const { page } = visitor;
    await visitor.open('/sign-in');
    const field = page.getByLabel('Admin token');
    await field.fill('not-a-token');
    await field.press('Enter');
    await page.getByText('Not a token that is valid here.').waitFor();
    expect(await field.getAttribute('aria-invalid')).toBe('true');
    await field.and(page.locator(':focus')).waitFor();
  });

  it('ends when the token is revoked, whatever is asked for next', async () => {
    const visitor = await stage.visit();
    const { page } = visitor;
    const made = await stage.api.change('POST', 'tokens', { name: 'short', role: 'viewer' });
    await visitor.signIn(made.token);
    // A page that asks for nothing by itself.
    await page.getByRole('link', { name: 'Playground' }).click();
    await page.getByRole('heading', { name: 'Playground' }).waitFor();
    await stage.api.change('DELETE', `tokens/${made.id}`);
    await page.reload();
    await page.getByText('Your token is not valid any more.').waitFor();
    await page.getByRole('link', { name: 'Sign in' }).waitFor();
    expect(await page.evaluate('({ ...sessionStorage })')).toEqual({});
  });
});
