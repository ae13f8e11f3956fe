import { parseMode, type Mode } from 'sluice/core';
import type { Definition, ModeNow } from './definition.ts';
import { Pattern } from './pattern.ts';
import type { CompiledPolicy } from './rules.ts';
import type { ModeSource } from './source.ts';

/** A mode, and which word of the configuration gave it. */
export type ModeBecause = ModeNow & { readonly because: string };

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
      own(wire.mode, 'the limit says so') ??
      this.#ofPolicy(policies, definition) ??
      this.#ofResource(resource, definition) ??
      own(policies.find(({ mode }) => mode !== null)?.mode, 'its policy says so') ??
      this.#ofScope('tenant', 'the tenant is set to it', definition) ??
      this.#ofScope('platform', 'the platform is set to it', definition);
    return found ?? { mode: 'enforce', enforceFromMs: null, because: 'nothing says otherwise' };
  }

  /** Of the quota's tree, which no policy defines. */
  ofQuota(name: string, mode: string | null): ModeBecause {
    const isIt = ({ scope, limit_name: limit, policy_id: policy }: ModeSource) =>
      scope === 'limit' && limit === name && policy === null;
    const entry = this.#entries.find(({ source }) => isIt(source));
    const found =
      (entry && { ...entry.now, because: 'an entry for the limit says so' }) ??
      own(mode, 'the quota says so') ??
      this.#ofScope('tenant', 'the tenant is set to it') ??
      this.#ofScope('platform', 'the platform is set to it');
    return found ?? { mode: 'enforce', enforceFromMs: null, because: 'nothing says otherwise' };
  }

  #ofLimit(definition: Definition): ModeBecause | null {
    const { definedBy } = definition;
    const policyId = definedBy.kind === 'policy' ? definedBy.id : null;
    const isIt = ({ scope, limit_name: name, policy_id: policy }: ModeSource) =>
      scope === 'limit' && name === definition.name && (policy === null || policy === policyId);
    return this.#first(isIt, 'an entry for the limit says so', definition);
  }

  #ofPolicy(policies: readonly CompiledPolicy[], definition: Definition): ModeBecause | null {
    for (const { id } of policies) {
      const isIt = ({ scope, policy_id: policy }: ModeSource) =>
        scope === 'policy' && policy === id;
      const found = this.#first(isIt, 'an entry for the policy says so', definition);
      if (found) return found;
    }
    return null;
  }

  #ofResource(resource: string, definition: Definition): ModeBecause | null {
    const [closest] = this.#entries
      .filter((entry) => entry.source.scope === 'resource' && counts(entry, definition))
      .filter(({ pattern }) => pattern?.matches(resource))
      .toSorted((a, b) => (a.pattern as Pattern).compare(b.pattern as Pattern));
    return closest ? { ...closest.now, because: 'an entry for the resource says so' } : null;
  }

  #ofScope(
    wanted: 'tenant' | 'platform',
    because: string,
    definition?: Definition,
  ): ModeBecause | null {
    return this.#first(({ scope }) => scope === wanted, because, definition);
  }

  #first(
    isIt: (source: ModeSource) => boolean,
    because: string,
    definition?: Definition,
  ): ModeBecause | null {
    const entry = this.#entries.find((one) => isIt(one.source) && counts(one, definition));
    return entry ? { ...entry.now, because } : null;
  }
}

/** A guard is only let down by who means it: by name, and confirmed. */
function counts({ source, now }: Entry, definition: Definition | undefined): boolean {
  if (!definition?.wire.security || now.mode === 'enforce') return true;
  return source.scope === 'limit' && source.confirm;
}

function own(mode: string | null | undefined, because: string): ModeBecause | null {
  if (mode === null || mode === undefined) return null;
  return { mode: parseMode('mode', mode), enforceFromMs: null, because };
}

/** When its day has come, a mode is enforced by itself. */
function modeAt({ mode, enforceFromMs }: ModeSource, nowMs: number): ModeNow {
  const parsed: Mode = parseMode('mode', mode);
  if (enforceFromMs === null || parsed === 'enforce') return { mode: parsed, enforceFromMs: null };
  return enforceFromMs <= nowMs
    ? { mode: 'enforce', enforceFromMs: null }
    : { mode: parsed, enforceFromMs };
}
