import { parseMode, type Mode } from 'sluice/core';
import type { Definition, ModeNow } from './definition.ts';
import { Pattern } from './pattern.ts';
import type { CompiledPolicy } from './rules.ts';
import type { ModeSource } from './source.ts';

/** Where a mode can be said, the one that counts before another first; and how that is told. */
const reasons = {
  limit: 'an entry for the limit says so',
  own: 'the limit says so',
  policy: 'an entry for the policy says so',
  resource: 'an entry for the resource says so',
  policy_own: 'its policy says so',
  tenant: 'the tenant is set to it',
  platform: 'the platform is set to it',
  nothing: 'nothing says otherwise',
} as const;
export type ModeLayer = keyof typeof reasons;

/** A mode, and which word of the configuration gave it. */
export type ModeBecause = ModeNow & { readonly layer: ModeLayer; readonly because: string };

type Entry = {
  readonly source: ModeSource;
  readonly pattern: Pattern | null;
  readonly now: ModeNow;
};

/**
 * Which mode a limit has: the entry for the limit, its own word, the entry for a policy or a
 * resource, the policy's own word, the tenant's, the platform's, else it is enforced. A tenant's own
 * entry comes before one for all.
 */
export class Modes {
  readonly #entries: readonly Entry[];

  /** The tenant's, then what all share; as of a moment, after which a date may have come. */
  constructor(sources: readonly ModeSource[], nowMs: number) {
    this.#entries = sources.map((source) => ({
      source,
      pattern: source.resource === null ? null : new Pattern(source.resource),
      now: modeAt(source, nowMs),
    }));
  }

  /** `matching` are the policies for the resource, the most specific first. */
  of(definition: Definition, resource: string, matching: readonly CompiledPolicy[]): ModeBecause {
    const { wire, definedBy } = definition;
    const policies = definedBy.kind === 'policy' ? matching : [];
    const found =
      this.#ofLimit(definition) ??
      own(wire.mode, 'own') ??
      this.#ofPolicy(policies, definition) ??
      this.#ofResource(resource, definition) ??
      own(policies.find(({ mode }) => mode !== null)?.mode, 'policy_own') ??
      this.#ofScope('tenant', definition) ??
      this.#ofScope('platform', definition);
    return found ?? because(enforced, 'nothing');
  }

  /** Of the quota's tree, which no policy defines. */
  ofQuota(name: string, mode: string | null): ModeBecause {
    const isIt = ({ scope, limit_name: limit, policy_id: policy }: ModeSource) =>
      scope === 'limit' && limit === name && policy === null;
    const entry = this.#entries.find(({ source }) => isIt(source));
    const found =
      (entry && because(entry.now, 'limit')) ??
      own(mode, 'own') ??
      this.#ofScope('tenant') ??
      this.#ofScope('platform');
    return found ?? because(enforced, 'nothing');
  }

  #ofLimit(definition: Definition): ModeBecause | null {
    const { definedBy } = definition;
    const policyId = definedBy.kind === 'policy' ? definedBy.id : null;
    const isIt = ({ scope, limit_name: name, policy_id: policy }: ModeSource) =>
      scope === 'limit' && name === definition.name && (policy === null || policy === policyId);
    return this.#first(isIt, 'limit', definition);
  }

  #ofPolicy(policies: readonly CompiledPolicy[], definition: Definition): ModeBecause | null {
    for (const { id } of policies) {
      const isIt = ({ scope, policy_id: policy }: ModeSource) =>
        scope === 'policy' && policy === id;
      const found = this.#first(isIt, 'policy', definition);
      if (found) return found;
    }
    return null;
  }

  #ofResource(resource: string, definition: Definition): ModeBecause | null {
    const [closest] = this.#entries
      .filter((entry) => entry.source.scope === 'resource' && counts(entry, definition))
      .filter(({ pattern }) => pattern?.matches(resource))
      .toSorted((a, b) => (a.pattern as Pattern).compare(b.pattern as Pattern));
    return closest ? because(closest.now, 'resource') : null;
  }

  #ofScope(wanted: 'tenant' | 'platform', definition?: Definition): ModeBecause | null {
    return this.#first(({ scope }) => scope === wanted, wanted, definition);
  }

  #first(
    isIt: (source: ModeSource) => boolean,
    layer: ModeLayer,
    definition?: Definition,
  ): ModeBecause | null {
    const entry = this.#entries.find((one) => isIt(one.source) && counts(one, definition));
    return entry ? because(entry.now, layer) : null;
  }
}

/** A guard is only let down by who means it: by name, and confirmed. */
function counts({ source, now }: Entry, definition: Definition | undefined): boolean {
  if (!definition?.wire.security || now.mode === 'enforce') return true;
  return source.scope === 'limit' && source.confirm;
}

const enforced: ModeNow = { mode: 'enforce', enforceFromMs: null };

function because({ mode, enforceFromMs }: ModeNow, layer: ModeLayer): ModeBecause {
  return { mode, enforceFromMs, layer, because: reasons[layer] };
}

function own(mode: string | null | undefined, layer: ModeLayer): ModeBecause | null {
  if (mode === null || mode === undefined) return null;
  return because({ mode: parseMode('mode', mode), enforceFromMs: null }, layer);
}

/** When its day has come, a mode is enforced by itself. */
function modeAt({ mode, enforceFromMs }: ModeSource, nowMs: number): ModeNow {
  const parsed: Mode = parseMode('mode', mode);
  if (enforceFromMs === null || parsed === 'enforce') return { mode: parsed, enforceFromMs: null };
  return enforceFromMs <= nowMs
    ? { mode: 'enforce', enforceFromMs: null }
    : { mode: parsed, enforceFromMs };
}
