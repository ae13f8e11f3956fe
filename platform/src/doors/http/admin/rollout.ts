import { type Static, Type } from 'typebox';
import {
  definerKinds,
  knownHow,
  type Promotions,
  type Report,
  type Rollout,
  stages,
  steps,
  thresholdsDefault,
  verdicts,
} from '../../../evidence/index.ts';
import { ref } from '../openapi.ts';
import {
  body,
  idField,
  instant,
  nullable,
  oneOf,
  pageOf,
  publishedFields,
  query,
  reasonField,
  text,
} from './fields.ts';
import { changedAnswer, operation } from './operation.ts';

const modeWords = ['off', 'shadow', 'warn', 'enforce'] as const;
const count = Type.Integer({ minimum: 0 });
const share = Type.Number({ minimum: 0, maximum: 1 });

const shares = {
  calls: count,
  would_refuse: count,
  share_of_calls: nullable(share),
  subjects: Type.Integer({ description: 'Estimated where they were sampled.' }),
  refused_subjects: Type.Integer({ description: 'Of whom at least one call would be refused.' }),
  share_of_subjects: nullable(share),
};
const figures = {
  ...shares,
  sampled: Type.Boolean({ description: 'Whether only a part of the subjects was followed.' }),
  sample: Type.Object({ share, subjects: count }),
};
const definedBy = Type.Object({
  kind: oneOf(definerKinds),
  id: nullable(Type.String()),
  resource: nullable(Type.String()),
});
const stageFigures = nullable(Type.Object({ stage: oneOf(stages), ...figures }));

const details = {
  step: oneOf(steps),
  series: Type.Array(Type.Object({ at: instant, ...shares })),
  top_subjects: Type.Array(
    Type.Object({
      subject: Type.String(),
      calls: count,
      would_refuse: count,
      peak: Type.Integer({ description: 'The least number that refuses none of its calls.' }),
    }),
  ),
  suggestion: Type.Object({
    at_most: share,
    field: Type.String(),
    number: nullable(Type.Integer()),
    known: oneOf(knownHow),
  }),
  alternatives: Type.Array(
    Type.Object({ number: Type.Integer(), refused_subjects: count, share_of_subjects: share }),
    {
      description:
        'How many subjects other numbers would have refused something: each number at which that changes, or the greatest of them and some of the others.',
    },
  ),
  since_promotion: Type.Object({
    at: nullable(instant),
    changes: Type.Array(
      Type.Object({
        audit_id: Type.String(),
        at: instant,
        actor: Type.String(),
        action: Type.String(),
        noun: Type.String(),
        object_id: Type.String(),
      }),
    ),
    before: stageFigures,
    after: stageFigures,
  }),
};

const report = Type.Object(
  {
    tenant_id: Type.String(),
    limit: Type.String({ description: 'The name of the limit.' }),
    defined_by: definedBy,
    algorithm: Type.String(),
    number: Type.Integer({ description: 'How much there is now.' }),
    field: Type.String({ description: 'What that is called in the limit.' }),
    stage: nullable(oneOf(modeWords, { description: 'Its mode now; null when it is gone.' })),
    enforce_from: nullable(instant),
    since: nullable(instant),
    since_by: nullable(oneOf(['audit', 'first_seen'])),
    observed: Type.Object({
      stage: nullable(oneOf(stages)),
      from: instant,
      to: instant,
      subjects_from: instant,
      first_seen: nullable(instant),
    }),
    ...figures,
    verdict: Type.Object({
      verdict: oneOf(verdicts),
      reason: Type.String(),
      thresholds: Type.Object({
        too_tight_above: share,
        too_loose_below: share,
        observe_days: Type.Number(),
      }),
    }),
    ...Type.Partial(Type.Object(details)).properties,
  },
  { $id: 'RolloutReport' },
);

const stepped = Type.Object(
  {
    tenant_id: Type.String(),
    limit: Type.String(),
    policy_id: nullable(Type.String()),
    from: oneOf(modeWords),
    to: oneOf(modeWords),
    enforce_from: nullable(instant),
    mode_id: Type.String({ description: 'Of the entry among the modes that says so.' }),
    forced: Type.Boolean(),
    based_on: Type.Array(
      Type.Object({
        defined_by: definedBy,
        verdict: oneOf(verdicts),
        reason: Type.String(),
        calls: count,
        would_refuse: count,
        subjects: count,
        refused_subjects: count,
        share_of_subjects: nullable(share),
      }),
    ),
    ...publishedFields,
  },
  { $id: 'RolloutStep' },
);

const thresholds = {
  too_tight_above: Type.Optional(
    Type.Number({
      minimum: 0,
      maximum: 1,
      default: thresholdsDefault.tooTightAbove,
      description: 'A share of subjects.',
    }),
  ),
  too_loose_below: Type.Optional(
    Type.Number({
      minimum: 0,
      maximum: 1,
      default: thresholdsDefault.tooLooseBelow,
      description: 'A share of subjects.',
    }),
  ),
  observe_days: Type.Optional(
    Type.Number({ minimum: 0, maximum: 400, default: thresholdsDefault.observeDays }),
  ),
};

const filters = query({
  tenant_id: Type.Optional(text(64, { description: "A tenant's id." })),
  limit_name: Type.Optional(
    text(128, { description: 'With `tenant_id`: the whole report of the limits of this name.' }),
  ),
  resource: Type.Optional(
    text(512, { description: 'Only limits that the policy for this very pattern defines.' }),
  ),
  from: Type.Optional(
    Type.String({ format: 'date-time', description: 'Default 30 days before `to`.' }),
  ),
  to: Type.Optional(Type.String({ format: 'date-time', description: 'Default now.' })),
  step: Type.Optional(oneOf(steps, { description: 'Default an hour up to 3 days, else a day.' })),
  at_most: Type.Optional(
    Type.Number({
      minimum: 0,
      maximum: 1,
      default: 0.01,
      description: 'The share of subjects that the suggested number may refuse.',
    }),
  ),
  top: Type.Optional(Type.Integer({ minimum: 1, maximum: 200, default: 20 })),
  ...thresholds,
});

const step = {
  tenant_id: idField,
  limit: Type.String({ maxLength: 64, description: 'The name of the limit.' }),
  policy_id: Type.Optional(
    nullable(
      Type.String({
        maxLength: 128,
        description: 'Of the policy that defines it, if several do.',
      }),
    ),
  ),
  reason: reasonField,
};
const promote = body({
  ...step,
  enforce_from: Type.Optional(
    nullable(
      Type.String({
        format: 'date-time',
        description: 'To warn now, and from then on to enforce by itself.',
      }),
    ),
  ),
  force: Type.Optional(Type.Boolean({ description: 'Enforce it whatever the verdict.' })),
  ...thresholds,
});
const stepBack = body({
  ...step,
  confirm: Type.Optional(Type.Boolean({ description: 'That it is meant for a security limit.' })),
});

export const rolloutSchemas = [report, stepped] as const;

export type RolloutNoun = { readonly rollout: Rollout; readonly promotions: Promotions };

export function rolloutOperations({ rollout, promotions }: RolloutNoun) {
  return {
    list: operation({
      summary: 'What limits in shadow and warn would have refused',
      description:
        'Each limit that was seen in shadow or warn in the span; of one tenant also those that are in it now. In full when `tenant_id` and `limit_name` name one.',
      query: filters,
      answer: pageOf(ref<Report>('RolloutReport')),
      run: ({ actor, query: asked }) => rollout.list(actor, asked),
    }),
    promote: operation({
      summary: 'Take a limit a stage further',
      conflicts: true,
      description:
        'From shadow to warn to enforce. To enforce, its verdict must be `ready`, unless it is forced.',
      body: promote,
      answer: ref<Static<typeof stepped>>('RolloutStep'),
      run: async ({ actor, body: sent }) => changedAnswer(await promotions.promote(actor, sent)),
    }),
    stepBack: operation({
      summary: 'Take a limit a stage back',
      conflicts: true,
      description:
        'From enforce to warn to shadow. A date from which it would enforce is taken away first.',
      body: stepBack,
      answer: ref<Static<typeof stepped>>('RolloutStep'),
      run: async ({ actor, body: sent }) => changedAnswer(await promotions.stepBack(actor, sent)),
    }),
  };
}
