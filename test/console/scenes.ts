import type { Page } from 'playwright-core';
import { planScenes } from './plan-scenes.ts';
import type { Stage } from './rig/stage.ts';

/** What a picture is taken of. */
export type Scene = {
  /** Of the file. */
  readonly name: string;
  /** Behind the `#`. */
  readonly path: string;
  readonly signedIn?: false;
  readonly width?: number;
  readonly height?: number;
  /** What is done on the page first, until it shows what it is about. */
  readonly play?: (page: Page, stage: Stage) => Promise<void>;
};

export const scenes: readonly Scene[] = [
  { name: 'playground', path: '/playground', signedIn: false, height: 1000, play: fire },
  {
    name: 'playground-sliding-counter',
    path: '/playground',
    signedIn: false,
    height: 1000,
    play: (page) => fireAt(page, 'Sliding counter'),
  },
  {
    name: 'playground-concurrency',
    path: '/playground',
    signedIn: false,
    height: 1000,
    play: (page) => fireAt(page, 'Concurrency'),
  },
  {
    name: 'playground-phone',
    path: '/playground',
    signedIn: false,
    width: 390,
    height: 844,
    play: fire,
  },
  {
    name: 'sign-in',
    path: '/sign-in',
    signedIn: false,
    play: (page) => page.getByRole('heading', { name: 'Sign in' }).waitFor(),
  },
  ...planScenes,
];

async function fireAt(page: Page, tab: string): Promise<void> {
  await page.getByRole('tab', { name: tab }).click();
  await fire(page);
}

async function fire(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Fire' }).click();
  await page.getByText(/\d+ refused/).waitFor();
}
