import type { Page } from 'playwright-core';
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
  {
    name: 'sign-in',
    path: '/sign-in',
    signedIn: false,
    play: (page) => page.getByRole('heading', { name: 'Sign in' }).waitFor(),
  },
];
