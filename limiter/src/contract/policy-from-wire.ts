import { parseCost, parseCosts } from '../core/check.ts';
import { InvalidInput } from '../core/errors.ts';
import type { Mode } from '../core/limit.ts';
import { parseMode } from '../core/mode.ts';
import { parseText, refuseUnknownFields, requireObject } from '../core/parse.ts';
import { limitsFromWire, parseTenantId } from './plan-from-wire.ts';
import type { WirePolicy } from './wire-plan.ts';
import { pathOf } from './wire-parse.ts';

const knownFields = ['tenant_id', 'resource', 'cost', 'costs', 'max_cost', 'limits', 'mode'];
const patternLengthMax = 2048;

/** What a resource costs and which limits it adds; unlike a plan it may add none. */
export function policyFromWire(wire: unknown, field = ''): WirePolicy {
  requireObject(field === '' ? 'policy' : field, wire);
  const policy = wire as Readonly<Record<string, unknown>>;
  refuseUnknownFields(field, policy, knownFields);
  const { costs = {}, limits = [] } = policy;
  const cost = parseOptionalCost(pathOf(field, 'cost'), policy['cost']);
  const maxCost = parseOptionalCost(pathOf(field, 'max_cost'), policy['max_cost']);
  if (cost !== null && maxCost !== null && maxCost < cost) {
    throw new InvalidInput(pathOf(field, 'max_cost'), 'must not be below cost');
  }
  return {
    tenant_id: parseTenantId(pathOf(field, 'tenant_id'), policy['tenant_id']),
    resource: parseText(pathOf(field, 'resource'), policy['resource'], patternLengthMax),
    cost,
    costs: costsAt(field, costs),
    max_cost: maxCost,
    limits: limitsFromWire(limits, pathOf(field, 'limits')),
    mode: parseOptionalMode(pathOf(field, 'mode'), policy['mode']),
  };
}

function parseOptionalCost(path: string, value: unknown): number | null {
  return value === undefined || value === null ? null : parseCost(path, value);
}

function costsAt(field: string, costs: unknown): Readonly<Record<string, number>> {
  try {
    return { ...parseCosts(costs) };
  } catch (error) {
    if (!(error instanceof InvalidInput)) throw error;
    throw new InvalidInput(pathOf(field, error.field), error.problem);
  }
}

function parseOptionalMode(path: string, value: unknown): Mode | null {
  return value === undefined || value === null ? null : parseMode(path, value);
}
