import { InvalidInput } from 'sluice/core';
import type { Actor } from '../../control/actor.ts';
import { requirePlatform } from '../../control/authorize.ts';
import type { Changed } from '../../control/change.ts';
import { Conflict, NotFound } from '../../control/errors.ts';
import type { Modes } from '../../control/modes/modes.ts';
import { requireUuid } from '../../control/rows.ts';
import type { Report } from './report.ts';
import type { Rollout, ThresholdFields } from './rollout.ts';
import type { Standing } from './standing.ts';

export type StepInput = {
  readonly tenant_id: string;
  readonly limit: string;
  readonly policy_id?: string | null;
  readonly reason: string;
};

export type PromoteInput = StepInput &
  ThresholdFields & { readonly enforce_from?: string | null; readonly force?: boolean };

export type StepBackInput = StepInput & { readonly confirm?: boolean };

/** A limit that went a stage further, or back. */
export type Step = {
  readonly tenant_id: string;
  readonly limit: string;
  readonly policy_id: string | null;
  readonly from: Mode;
  readonly to: Mode;
  readonly enforce_from: string | null;
  /** The entry that says so. */
  readonly mode_id: string;
  readonly forced: boolean;
  /** What it was based on: one for each who defines a limit of this name. */
  readonly based_on: readonly Basis[];
};

export type Basis = Pick<
  Report,
  'calls' | 'would_refuse' | 'subjects' | 'refused_subjects' | 'share_of_subjects' | 'defined_by'
> & { readonly verdict: Report['verdict']['verdict']; readonly reason: string };

type Mode = Standing['mode'];
type Target = { readonly mode: Mode; readonly enforceFrom: string | null };
type Stepping = {
  readonly action: 'promote' | 'step_back';
  readonly target: Target;
  readonly confirm: boolean;
  readonly forced: boolean;
};

/** Takes limits from shadow to warn to enforce, and back: by an entry for the limit among the modes. */
export class Promotions {
  readonly #rollout: Pick<Rollout, 'standing' | 'summaries'>;
  readonly #modes: Pick<Modes, 'set'>;

  constructor({
    rollout,
    modes,
  }: {
    readonly rollout: Pick<Rollout, 'standing' | 'summaries'>;
    readonly modes: Pick<Modes, 'set'>;
  }) {
    this.#rollout = rollout;
    this.#modes = modes;
  }

  /** Refuses to enforce what the figures speak against, unless it is forced. */
  async promote(actor: Actor, input: PromoteInput): Promise<Changed<Step>> {
    requirePlatform(actor, 'promote limits');
    const limits = await this.#find(input);
    const target = further(limits[0], input.enforce_from ?? null);
    const { tenant_id: tenantId, force = false } = input;
    const reports = await this.#rollout.summaries(tenantId, limits, input);
    const speaksAgainst = reports.find(({ verdict }) => verdict.verdict !== 'ready');
    const enforces = target.mode === 'enforce' || target.enforceFrom !== null;
    if (enforces && speaksAgainst && !force) throw notReady(speaksAgainst);
    // It only gets stricter: nobody lets a guard down by that.
    const confirm = target.mode !== 'enforce' && limits.some(({ security }) => security);
    const forced = enforces && speaksAgainst !== undefined;
    const stepping = { action: 'promote', target, confirm, forced } as const;
    return this.#step(actor, input, { limits, reports, stepping });
  }

  async stepBack(actor: Actor, input: StepBackInput): Promise<Changed<Step>> {
    requirePlatform(actor, 'step limits back');
    const limits = await this.#find(input);
    const target = back(limits[0]);
    const reports = await this.#rollout.summaries(input.tenant_id, limits, {});
    const { confirm = false } = input;
    const stepping = { action: 'step_back', target, confirm, forced: false } as const;
    return this.#step(actor, input, { limits, reports, stepping });
  }

  /** Who defines a limit of this name: they are in one stage, or it is said which one is meant. */
  async #find(input: StepInput): Promise<readonly [Standing, ...Standing[]]> {
    const { tenant_id: tenantId, limit, policy_id: policyId = null } = input;
    const standings = await this.#rollout.standing(requireUuid('tenant', tenantId));
    if (!standings) throw new NotFound('tenant');
    const named = standings.filter(({ name }) => name === limit);
    if (named.length === 0) throw new InvalidInput('limit', 'is no limit of this tenant');
    const meant = named.filter((one) => policyId === null || one.definerId === policyId);
    const [first, ...others] = meant;
    if (!first) throw new InvalidInput('policy_id', 'is no policy that defines this limit');
    if (others.some((one) => stateOf(one) !== stateOf(first))) {
      const stages = meant.map((one) => `${one.definedBy} (${one.mode})`).join(', ');
      throw new InvalidInput(
        'policy_id',
        `must say which one is meant: limits of this name are in several stages: ${stages}`,
      );
    }
    return [first, ...others];
  }

  async #step(
    actor: Actor,
    { tenant_id: tenantId, limit, policy_id: policyId = null, reason }: StepInput,
    {
      limits: [{ mode: from, enforceFromMs }],
      reports,
      stepping,
    }: {
      readonly limits: readonly [Standing, ...Standing[]];
      readonly reports: readonly Report[];
      readonly stepping: Stepping;
    },
  ): Promise<Changed<Step>> {
    const { target, confirm, forced, action } = stepping;
    const basedOn = reports.map(basisOf);
    const { value: entry, ...changed } = await this.#modes.set(
      actor,
      {
        scope: 'limit',
        tenant_id: tenantId,
        limit,
        policy_id: policyId,
        mode: target.mode,
        enforce_from: target.enforceFrom,
        confirm,
      },
      null,
      ({ id, enforce_from: enforceFrom }) => [
        {
          action,
          noun: 'rollout',
          objectId: id,
          tenantId,
          before: { limit, policy_id: policyId, stage: from, enforce_from: isoOf(enforceFromMs) },
          after: {
            limit,
            policy_id: policyId,
            stage: target.mode,
            enforce_from: enforceFrom,
            reason,
            forced,
            based_on: basedOn,
          },
        },
      ],
    );
    const value: Step = {
      tenant_id: tenantId,
      limit,
      policy_id: policyId,
      from,
      to: target.mode,
      enforce_from: entry.enforce_from,
      mode_id: entry.id,
      forced,
      based_on: basedOn,
    };
    return { value, ...changed };
  }
}

const next: Readonly<Record<Exclude<Mode, 'enforce'>, Mode>> = {
  off: 'shadow',
  shadow: 'warn',
  warn: 'enforce',
};

function further({ mode }: Standing, enforceFrom: string | null): Target {
  if (mode === 'enforce') throw new Conflict('this limit is enforced already');
  return enforceFrom === null
    ? { mode: next[mode], enforceFrom: null }
    : { mode: 'warn', enforceFrom };
}

/** A date that has not come is taken away first. */
function back({ mode, enforceFromMs }: Standing): Target {
  if (enforceFromMs !== null) return { mode, enforceFrom: null };
  if (mode === 'enforce') return { mode: 'warn', enforceFrom: null };
  if (mode === 'warn') return { mode: 'shadow', enforceFrom: null };
  throw new Conflict(
    `this limit is in ${mode}, and there is no stage before it; to turn it off, set its mode`,
  );
}

function notReady({ verdict: { verdict, reason } }: Report): Conflict {
  return new Conflict(
    `the verdict on this limit is ${verdict}: ${reason}; to enforce it all the same, say force`,
  );
}

function stateOf({ mode, enforceFromMs }: Standing): string {
  return `${mode} ${enforceFromMs ?? ''}`;
}

function basisOf(report: Report): Basis {
  const { calls, would_refuse, subjects, refused_subjects, share_of_subjects } = report;
  const { verdict, reason } = report.verdict;
  return {
    defined_by: report.defined_by,
    verdict,
    reason,
    calls,
    would_refuse,
    subjects,
    refused_subjects,
    share_of_subjects,
  };
}

function isoOf(ms: number | null): string | null {
  return ms === null ? null : new Date(ms).toISOString();
}
