import { chromium, type Browser, type BrowserContext, type Page } from 'playwright-core';
import { afterAll, beforeAll, expect, inject, onTestFinished } from 'vitest';
import { NodeClient } from '../../platform/rig/client.ts';

export type Look = {
  readonly theme?: 'light' | 'dark';
  readonly width?: number;
  readonly height?: number;
  /** Where the service is reached; through something that breaks it, say. */
  readonly url?: string;
};

/**
 * What widens the page, and what is cut off without a way to scroll to it: of that, not what says
 * so by dots, nor what is for screen readers alone, nor fields, which follow the caret.
 */
const beyondPhone = `(() => {
  const all = [...document.querySelectorAll('body *')];
  const isWide = document.documentElement.scrollWidth > 360;
  const widens = (one) =>
    isWide && one.getBoundingClientRect().right > 360 && !one.closest('.table-scroll > *');
  const cuts = (one) => {
    const { overflowX, textOverflow } = getComputedStyle(one);
    const hides = ['hidden', 'clip'].includes(overflowX) && textOverflow !== 'ellipsis';
    return hides && one.scrollWidth > one.clientWidth && !one.closest('.hidden, input');
  };
  return all
    .filter((one) => widens(one) || cuts(one))
    .map((one) => one.tagName + '.' + one.className);
})()`;

/** Charts are told of another width, and drawn anew, by the end of the next frame. */
const afterFrame = 'new Promise((done) => requestAnimationFrame(() => setTimeout(done)))';

/** A person before the console, in a browser profile of their own. */
export class Visitor {
  readonly page: Page;
  readonly context: BrowserContext;
  /** What went wrong behind the page: errors, violations of its policy, calls to others. */
  readonly complaints: string[] = [];

  readonly #url: string;

  private constructor(context: BrowserContext, page: Page, url: string) {
    this.context = context;
    this.page = page;
    this.#url = url;
    const { origin } = new URL(url);
    page.on('pageerror', (error) => this.complaints.push(`error: ${error.message}`));
    page.on('console', (message) => {
      // Chromium itself logs every status from 400 on, and a refusal is one.
      const isStatus = message.text().startsWith('Failed to load resource');
      if (message.type() === 'error' && !isStatus) this.complaints.push(message.text());
    });
    page.on('request', (request) => {
      const url = new URL(request.url());
      if (url.origin !== origin && url.protocol !== 'data:')
        this.complaints.push(`calls ${url.href}`);
    });
  }

  static async arrive(browser: Browser, look: Look = {}): Promise<Visitor> {
    const { theme = 'light', width = 1280, height = 860, url = inject('stage').url } = look;
    const context = await browser.newContext({
      colorScheme: theme,
      locale: 'en-US',
      viewport: { width, height },
      permissions: ['clipboard-read', 'clipboard-write'],
      reducedMotion: 'reduce',
    });
    return new Visitor(context, await context.newPage(), url);
  }

  /** A page of the console, by what stands behind the `#`. */
  async open(path: string): Promise<void> {
    await this.page.goto(`${this.#url}/#${path}`);
  }

  /** With this token, or that of the service's owner. */
  async signIn(token = inject('stage').adminToken): Promise<void> {
    await this.open('/sign-in');
    await this.page.getByLabel('Admin token').fill(token);
    await this.page.getByRole('button', { name: 'Sign in' }).click();
    // On a phone it is behind a button.
    const signOut = this.page.getByRole('button', { name: 'Sign out', includeHidden: true });
    await signOut.waitFor({ state: 'attached' });
  }

  /** What of the page reaches beyond the width of a phone, other than by scrolling by itself. */
  async widerThanPhone(): Promise<readonly string[]> {
    await this.page.setViewportSize({ width: 360, height: 760 });
    await this.page.evaluate(afterFrame);
    return (await this.page.evaluate(beyondPhone)) as readonly string[];
  }
}

/** For a file of tests: visitors, and the service by HTTP. Nobody may have complained. */
export function useConsole() {
  let browser: Browser;
  const api = () => new NodeClient(inject('stage').url, inject('stage').adminToken);
  beforeAll(async () => {
    browser = await chromium.connect(inject('stage').browserEndpoint);
  });
  afterAll(() => browser.close());
  return {
    get api() {
      return api();
    },
    async visit(look: Look = {}): Promise<Visitor> {
      const visitor = await Visitor.arrive(browser, look);
      visitor.page.setDefaultTimeout(20_000);
      onTestFinished(async () => {
        await visitor.context.close();
        expect(visitor.complaints).toEqual([]);
      });
      return visitor;
    },
  };
}
