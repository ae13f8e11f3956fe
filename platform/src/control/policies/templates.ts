import { InvalidInput } from 'sluice';
import { oneOf } from 'sluice/core';
import type { PolicyInput } from './policy.ts';

/** Policies to start from. What is made of one is a policy like any other. */
export type PolicyTemplate = {
  readonly name: string;
  readonly about: string;
  readonly resource: string;
  readonly costs: Readonly<Record<string, number>>;
  readonly limits: readonly object[];
};

/** What calls cost in units, of which the templates of plans give so many a minute. */
const units = {
  item: ['GET:/items/{id}', 1],
  list: ['GET:/items', 3],
  order: ['POST:/orders', 5],
  search: ['POST:/search', 10],
  export: ['POST:/export', 50],
  import: ['POST:/import', 100],
  others: ['*/*', 1],
} as const satisfies Record<string, readonly [string, number]>;

const globalLimit = {
  name: 'platform',
  algorithm: 'sliding_window_counter',
  limit: 10_000,
  window_seconds: 1,
  per: ['global'],
};

export const policyTemplates: readonly PolicyTemplate[] = [
  ...Object.entries(units).map(([name, [resource, cost]]) => ({
    name,
    about: cost === 1 ? 'costs one unit' : `costs ${cost} units`,
    resource,
    costs: { units: cost },
    limits: [],
  })),
  {
    name: 'global',
    about: '10,000 calls a second for all tenants together',
    resource: '*/*',
    costs: {},
    limits: [globalLimit],
  },
];

export const policyTemplateNames = policyTemplates.map(({ name }) => name);

/** What is said of a policy, with what the template that it names says; a resource may differ. */
export function fromPolicyTemplate({ template: named, ...input }: PolicyInput): PolicyInput {
  if (named === undefined) return input;
  const name = oneOf('template', named, policyTemplateNames);
  const other = Object.keys(input).find((field) => field !== 'resource' && field !== 'tenant_id');
  if (other !== undefined) {
    throw new InvalidInput(other, 'does not go with template; change the policy once it is made');
  }
  const template = policyTemplates.find((one) => one.name === name);
  if (!template) return input;
  const { resource, costs, limits } = template;
  return { resource, costs, limits, ...input };
}
