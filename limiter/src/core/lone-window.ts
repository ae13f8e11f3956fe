import type { FixedWindowNumbers } from './algorithms/fixed-window.ts';
import type { WindowState } from './algorithms/window.ts';
import type { Limit } from './limit.ts';
import { Lone } from './lone.ts';

export type FixedWindow = Limit & { readonly numbers: FixedWindowNumbers };

export function isFixedWindow(limit: Limit): limit is FixedWindow {
  return limit.numbers.algorithm === 'fixed_window';
}

/** One fixed window that is under way. What it shows are the sums of a window's `show`. */
export class LoneWindow extends Lone {
  declare readonly limit: FixedWindow;
  declare readonly startUs: number;
  declare readonly endUs: number;
  declare readonly used: number;

  constructor(
    limit: FixedWindow,
    cost: number,
    nowUs: number,
    startUs: number,
    endUs: number,
    used: number,
    fits: boolean,
    resource: string,
    subject: string,
    tenant: string,
  ) {
    super(limit, cost, nowUs, fits, resource, subject, tenant);
    this.startUs = startUs;
    this.endUs = endUs;
    this.used = used;
  }

  get remaining(): number {
    return Math.max(0, this.limit.size - this.used);
  }

  get resetAtUs(): number {
    return this.endUs;
  }

  get retryAfterUs(): number {
    return this.fits ? 0 : this.endUs - this.nowUs;
  }

  get state(): WindowState {
    return { startUs: this.startUs, endUs: this.endUs, used: this.used };
  }
}
