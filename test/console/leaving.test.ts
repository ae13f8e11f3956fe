import { randomUUID } from 'node:crypto';
import type { Dialog, Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { checkAccess } from './rig/access.ts';
import { useConsole, type Visitor } from './rig/visitor.ts';

const stage = useConsole();
const limits = [{ name: 'calls', algorithm: 'fixed_window', limit: 10, window_seconds: 60 }];

/** What can be edited: where, how one changes it, and how that is saved. */
type Editor = {
  readonly open: (visitor: Visitor) => Promise<void>;
  readonly field: (page: Page) => ReturnType<Page['locator']>;
  readonly save: (page: Page) => Promise<void>;
};

const size = (page: Page) => page.getByLabel('Limit', { exact: true }).first();

const editors: Readonly<Record<string, Editor>> = {
  'a plan': {
    open: async (visitor) => {
      const { id } = await stage.api.makeTenant({});
      const fields = { tenant_id: id, name: `plan-${randomUUID()}`, limits };
      const plan = await stage.api.change('POST', 'plans', fields);
      await visitor.open(`/plans/${plan.id}`);
    },
    field: size,
    save: (page) => saveBy(page, 'Save plan'),
  },
  'a plan that is not there yet': {
    open: (visitor) => visitor.open('/plans/new'),
    field: (page) => page.getByLabel('Plan name'),
    save: async (page) => {
      await page.getByRole('button', { name: 'Make plan' }).click();
      await page.getByRole('button', { name: 'Save plan' }).waitFor();
    },
  },
  'a policy': {
    open: async (visitor) => {
      const { id } = await stage.api.makeTenant({});
      const fields = { tenant_id: id, resource: `GET:/${randomUUID()}`, limits };
      const policy = await stage.api.change('POST', 'policies', fields);
      await visitor.open(`/policies/${policy.id}`);
    },
    field: size,
    save: (page) => saveBy(page, 'Save policy'),
  },
  'a quota': {
    open: async (visitor) => {
      const { id } = await stage.api.makeTenant({});
      await stage.api.change('PUT', `quotas/${id}`, { limit: 500, period: 'month' });
      await visitor.open(`/quotas/${id}`);
    },
    field: (page) => page.getByLabel('Limit of organisation'),
    save: async (page) => {
      const save = page.getByRole('button', { name: 'Save quota' });
      await save.click();
      await save.waitFor({ state: 'detached' });
    },
  },
  'a dialog': {
    open: async (visitor) => {
      const { id } = await stage.api.makeTenant({});
      await visitor.open(`/tenants/${id}/blocks`);
      await visitor.page.getByRole('button', { name: 'New block' }).click();
    },
    field: (page) => page.getByLabel('Who'),
    save: async (page) => {
      await page.getByLabel('Why').fill('Scrapes');
      await page.getByRole('button', { name: 'Make block' }).click();
      await page.getByRole('dialog').waitFor({ state: 'detached' });
    },
  },
};

/** It stays there, and is busy until all that it changed is shown. */
async function saveBy(page: Page, name: string): Promise<void> {
  await page.getByRole('button', { name }).click();
  await page.locator('.toast').waitFor();
  await page.locator('.button.is-busy').waitFor({ state: 'detached' });
}

async function begin(editor: Editor) {
  const visitor = await stage.visit();
  const { page } = visitor;
  await visitor.signIn();
  await visitor.open('/audit');
  await page.getByRole('heading', { name: 'Audit', level: 1 }).waitFor();
  await editor.open(visitor);
  const field = editor.field(page);
  await field.click();
  const address = page.url();
  await page.keyboard.press('ControlOrMeta+a');
  await page.keyboard.type('77');
  return { visitor, page, field, address, question: questionOn(page) };
}

const questionOn = (page: Page) => page.getByRole('dialog', { name: 'Leave without saving?' });
const audit = (page: Page) => page.getByRole('heading', { name: 'Audit', level: 1 });

describe.each(Object.entries(editors))('who has changed %s', (_what, editor) => {
  it('is asked before the way back, stays where they were, and leaves when they say so', async () => {
    const { page, field, address, question } = await begin(editor);
    await page.goBack();
    await question.getByRole('button', { name: 'Keep editing' }).click();
    await question.waitFor({ state: 'detached' });
    expect(page.url()).toBe(address);
    expect(await field.inputValue()).toBe('77');
    await page.goBack();
    await question.getByRole('button', { name: 'Leave', exact: true }).click();
    await audit(page).waitFor();
    expect(await question.count()).toBe(0);
    await page.goForward();
    await page.waitForURL(address);
  });

  it('is warned by the browser before the tab is closed, and not once it is saved', async () => {
    const { page } = await begin(editor);
    const seen: string[] = [];
    const answer = async (dialog: Dialog) => {
      seen.push(dialog.type());
      await dialog.dismiss();
    };
    page.on('dialog', (dialog) => void answer(dialog));
    await page.close({ runBeforeUnload: true });
    await expect.poll(() => seen).toEqual(['beforeunload']);
    expect(page.isClosed()).toBe(false);
    await editor.save(page);
    await page.close({ runBeforeUnload: true });
    await expect.poll(() => page.isClosed()).toBe(true);
    expect(seen).toHaveLength(1);
  });
});

describe('leaving a page', () => {
  const plan = editors['a plan'] as Editor;

  it('is asked about with the keyboard alone: at first the answer that loses nothing', async () => {
    const { visitor, page, field, address, question } = await begin(plan);
    const link = page.getByRole('link', { name: 'Audit' });
    const focusOf = (name: string) =>
      question.getByRole('button', { name, exact: true }).and(page.locator(':focus'));
    await link.focus();
    await page.keyboard.press('Enter');
    await focusOf('Keep editing').waitFor();
    await checkAccess(visitor);
    await page.keyboard.press('Enter');
    await question.waitFor({ state: 'detached' });
    await link.and(page.locator(':focus')).waitFor();
    await page.keyboard.press('Enter');
    await focusOf('Keep editing').waitFor();
    await page.keyboard.press('Escape');
    await question.waitFor({ state: 'detached' });
    expect(page.url()).toBe(address);
    expect(await field.inputValue()).toBe('77');
    await page.keyboard.press('Enter');
    await focusOf('Keep editing').waitFor();
    await page.keyboard.press('Tab');
    await focusOf('Leave').waitFor();
    await page.keyboard.press('Enter');
    await audit(page).waitFor();
  });

  it('is asked about by an address that is typed, and by signing out', async () => {
    const { visitor, page, address, question } = await begin(plan);
    await visitor.open('/playground');
    await question.waitFor();
    expect(page.url()).toBe(address);
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Sign out' }).click();
    await question.getByRole('button', { name: 'Keep editing' }).click();
    await page.getByRole('button', { name: 'Save plan' }).waitFor();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await question.getByRole('button', { name: 'Leave', exact: true }).click();
    await page.getByLabel('Admin token').waitFor();
  });

  it('is nobody’s business once it is saved, or was never changed', async () => {
    const { page, question } = await begin(plan);
    await plan.save(page);
    await page.getByRole('link', { name: 'Audit' }).click();
    await audit(page).waitFor();
    await page.goBack();
    await page.getByRole('button', { name: 'Save plan' }).waitFor();
    await page.getByRole('link', { name: 'Audit' }).click();
    await audit(page).waitFor();
    expect(await question.count()).toBe(0);
  });

  it('is nobody’s business where the console goes by itself, however slow the next page is', async () => {
    const { id } = await stage.api.makeTenant({});
    const visitor = await stage.visit();
    const { page } = visitor;
    await visitor.signIn();
    await visitor.open('/quotas');
    await page.getByRole('button', { name: 'New quota' }).click();
    await page.getByLabel('Tenant').selectOption(id);
    // Its code never arrives.
    await page.route('**/assets/QuotaPage-*.js', () => {});
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.waitForURL(`**/#/quotas/${id}`);
    await page.getByRole('link', { name: 'Audit' }).click();
    await audit(page).waitFor();
    expect(await questionOn(page).count()).toBe(0);
  });
});
