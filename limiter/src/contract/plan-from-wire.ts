import { limitsPerQuestionMax } from '../core/engine.ts';
import { InvalidInput } from '../core/errors.ts';
import { parseName, parseText, refuseUnknownFields, requireObject } from '../core/parse.ts';
import { describe } from '../core/numbers.ts';
import { canonicalLimit } from './limit-from-wire.ts';
import { requireShares } from './share-of.ts';
import type { CanonicalLimit } from './wire-limit.ts';
import type { WirePlan } from './wire-plan.ts';
import { pathOf } from './wire-parse.ts';

const idLengthMax = 128;

/**
 * A plan in full or in short → in full. In the short form `name` is the plan's; its limit is named
 * after the algorithm, so that a tenant that changes between such plans keeps what it used.
 */
export function planFromWire(wire: unknown, field = ''): WirePlan {
  requireObject(field === '' ? 'plan' : field, wire);
  const { tenant_id, name, limits, ...inline } = wire as Readonly<Record<string, unknown>>;
  return {
    tenant_id: parseTenantId(pathOf(field, 'tenant_id'), tenant_id),
    name: parseName(pathOf(field, 'name'), name),
    limits: limits === undefined ? [oneLimit(inline, field)] : allLimits(limits, inline, field),
  };
}

function oneLimit(inline: object, field: string): CanonicalLimit {
  if (!Object.hasOwn(inline, 'algorithm')) {
    throw new InvalidInput(
      pathOf(field, 'limits'),
      'is required: give a list of limits, or the fields of one limit with its algorithm',
    );
  }
  const limit = canonicalLimit(inline, field);
  if (limit.share_of) {
    throw new InvalidInput(pathOf(field, 'share_of'), 'needs another limit to share; give limits');
  }
  return limit;
}

function allLimits(limits: unknown, rest: object, field: string): readonly CanonicalLimit[] {
  refuseUnknownFields(field, rest, ['tenant_id', 'name', 'limits']);
  const list = limitsFromWire(limits, pathOf(field, 'limits'));
  if (list.length > 0) return list;
  throw new InvalidInput(
    pathOf(field, 'limits'),
    'must have at least one limit; a tenant without a plan has none',
  );
}

/** Any number of limits up to what one check takes, each with a name of its own. */
export function limitsFromWire(wire: unknown, field: string): readonly CanonicalLimit[] {
  if (!Array.isArray(wire)) {
    throw new InvalidInput(field, `must be a list of limits, got ${describe(wire)}`);
  }
  if (wire.length > limitsPerQuestionMax) {
    throw new InvalidInput(
      field,
      `must have at most ${limitsPerQuestionMax} limits, got ${wire.length}`,
    );
  }
  const names = new Set<string>();
  const limits = wire.map((one: unknown, at) => {
    const limit = canonicalLimit(one, `${field}[${at}]`);
    if (names.has(limit.name)) {
      throw new InvalidInput(`${field}[${at}].name`, `${limit.name} is taken; give each a name`);
    }
    names.add(limit.name);
    return limit;
  });
  requireShares(limits, field);
  return limits;
}

/** Null stands for all tenants. */
export function parseTenantId(path: string, value: unknown): string | null {
  return value === undefined || value === null ? null : parseText(path, value, idLengthMax);
}
