import type { IncomingHttpHeaders } from 'node:http';
import { InvalidInput } from 'sluice/core';
import { parseCredential } from '../../../control/credentials/credential.ts';
import { normalizeResource, type Asker, type CheckInput } from '../../../decide/index.ts';
import type { Check } from './schemas.ts';

/** Who asks: `x-api-key`, or `Authorization: Bearer` with the same key. */
export function askerOf(headers: IncomingHttpHeaders, address: string, scope: string): Asker {
  return { credential: parseCredential('key', keyIn(headers)), address, scope };
}

function keyIn(headers: IncomingHttpHeaders): string {
  const key = headers['x-api-key'];
  if (typeof key === 'string') return key;
  const { authorization } = headers;
  return authorization?.startsWith('Bearer ') ? authorization.slice('Bearer '.length) : '';
}

/** A body that the schema has let through → what is decided. */
export function inputOf(body: Check, headerKey?: string): CheckInput {
  const { resource, subject, costs, attributes, reserve } = body;
  requireWellFormed('subject', subject);
  requireWellFormed('resource', resource);
  if (attributes) {
    for (const name in attributes) {
      requireWellFormed(`attributes.${name}`, attributes[name] as string);
    }
  }
  if (costs && 'requests' in costs) {
    throw new InvalidInput('costs.requests', 'is what `cost` says');
  }
  return {
    resource: normalizeResource(resource),
    subject,
    cost: body.cost,
    costs,
    attributes,
    planId: body.plan_id,
    idempotencyKey: body.idempotency_key ?? headerKey,
    reserve: reserve && { ttlMs: reserve.ttl_ms, onExpiry: reserve.on_expiry ?? 'refund' },
  };
}

/** Half of a surrogate pair has no bytes of its own: two such texts would share a counter. */
function requireWellFormed(field: string, value: string): void {
  if (!value.isWellFormed()) throw new InvalidInput(field, 'must be well-formed Unicode');
}

const keyPattern = /^[A-Za-z0-9_.-]{8,128}$/;

/** The standard's header is a quoted string; many clients send it bare. */
export function idempotencyKeyIn(
  headers: IncomingHttpHeaders,
  requestIdKeys: boolean,
): string | undefined {
  const meant = headers['idempotency-key'] ?? headers['x-idempotency-key'];
  const given = meant ?? (requestIdKeys ? headers['x-request-id'] : undefined);
  if (given === undefined) return undefined;
  const text = String(given);
  const key = text.startsWith('"') && text.endsWith('"') ? text.slice(1, -1) : text;
  if (keyPattern.test(key)) return key;
  const field = meant === undefined ? 'x-request-id' : 'idempotency-key';
  throw new InvalidInput(field, 'must be 8 to 128 letters, digits, "-", "_" or "."');
}
