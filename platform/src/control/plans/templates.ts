import { InvalidInput } from 'sluice';
import { type CanonicalLimit, limitsFromWire } from 'sluice/contract';
import { oneOf } from 'sluice/core';
import type { PlanInput } from './plan.ts';

/** Plans to start from. What is made of one is a plan like any other, to be changed as needed. */
export type Template = {
  readonly name: string;
  readonly about: string;
  readonly limits: readonly CanonicalLimit[];
};

const minute = 60;
const hour = 3600;

const sizes = {
  free: { requests: 60, searches: 20, exports: 5, units: 100 },
  starter: { requests: 300, searches: 100, exports: 50, units: 500 },
  business: { requests: 3000, searches: 500, exports: 200, units: 5000 },
  enterprise: { requests: 10_000, searches: 2000, exports: 1000, units: 50_000 },
} as const;

type TemplateName = keyof typeof sizes;
type Sizes = (typeof sizes)[TemplateName];

export const templateNames = Object.keys(sizes) as TemplateName[];

export const templates: readonly Template[] = templateNames.map((name) => ({
  name,
  about: aboutOf(sizes[name]),
  limits: limitsFromWire(limitsOf(sizes[name]), 'limits'),
}));

/** What is said of a plan, with the limits of the template that it names, if any. */
export function fromTemplate({ template: named, ...input }: PlanInput): PlanInput {
  if (named === undefined) return input;
  const name = oneOf('template', named, templateNames);
  const other = Object.keys(input).find((field) => field !== 'name');
  if (other !== undefined) {
    throw new InvalidInput(other, 'does not go with template; change the plan once it is made');
  }
  return { name, ...input, limits: templates[templateNames.indexOf(name)]?.limits };
}

function aboutOf({ requests, searches, exports, units }: Sizes): string {
  const [calls, finds, cost, files] = [requests, searches, units, exports].map((size) =>
    size.toLocaleString('en'),
  );
  return `${calls} requests, ${finds} searches and ${cost} cost units a minute, ${files} exports an hour; a tenth of the requests for one user`;
}

function limitsOf({ requests, searches, exports, units }: Sizes): readonly object[] {
  return [
    ofTenant('requests', requests, minute),
    { ...ofTenant('searches', searches, minute), resources: below('search') },
    { ...ofTenant('exports', exports, hour), resources: [...below('export'), ...below('exports')] },
    { ...ofTenant('units', units, minute), unit: 'units' },
    {
      name: 'user-requests',
      algorithm: 'sliding_window_counter',
      share_of: { limit: 'requests', ratio: 0.1 },
      window_seconds: minute,
      per: ['tenant', 'subject'],
    },
  ];
}

function ofTenant(name: string, limit: number, seconds: number) {
  const algorithm = 'sliding_window_counter';
  return { name, algorithm, limit, window_seconds: seconds, per: ['tenant'] };
}

/** By whatever method: the thing itself, and all that is under it. */
function below(segment: string): readonly string[] {
  return [`*:/${segment}`, `*:/${segment}/*`];
}
