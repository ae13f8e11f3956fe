import { Type } from 'typebox';
import { groupings } from '../../../control/usage/usage.ts';
import {
  topDefault,
  topMax,
  type UsageReportQuery,
  type UsageReports,
} from '../../../control/usage/usage-reports.ts';
import { ref } from '../openapi.ts';
import {
  limitCounts,
  points,
  spanAnswer,
  spanFields,
  summaryField,
  totals,
} from '../usage-schemas.ts';
import { body, idField, nullable, oneOf, text } from './fields.ts';
import { operation } from './operation.ts';

const group = Type.Object({
  name: Type.String({ description: 'Of the resource or limit; the id of the tenant.' }),
  tenant_name: nullable(Type.String()),
  points,
  totals,
});

const report = Type.Object(
  {
    tenant_id: nullable(Type.String({ description: 'Null for all tenants together.' })),
    resource: nullable(Type.String()),
    limit_name: nullable(Type.String()),
    ...spanAnswer,
    points,
    totals,
    limits: limitCounts,
    groups: Type.Array(group, { description: 'With `group_by`: the busiest first.' }),
    summary: summaryField,
  },
  { $id: 'UsageReport' },
);

const filters = body({
  tenant_id: Type.Optional(idField),
  resource: Type.Optional(
    text(2048, { description: "A policy's pattern, or `*` for what no policy was for." }),
  ),
  limit_name: Type.Optional(
    text(64, { description: 'What this limit made of calls, instead of what became of them.' }),
  ),
  ...spanFields,
  group_by: Type.Optional(oneOf(groupings)),
  top: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: topMax,
      description: `How many groups; ${topDefault} unless said.`,
    }),
  ),
});

export const usageSchemas = [report] as const;

export function usageOperations(reports: UsageReports) {
  return {
    series: operation({
      summary: 'Read what was used',
      description:
        'Of one tenant, or of all together: exact counts by minute, hour or day, every step of the span among them.',
      query: filters,
      answer: ref('UsageReport'),
      run: ({ actor, query }) => reports.read(actor, query as UsageReportQuery),
    }),
  };
}
