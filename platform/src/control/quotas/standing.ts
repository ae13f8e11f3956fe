import type { PeriodBounds, TenantRef } from 'sluice/core';
import type { Quota, TopUp } from './quota.ts';

/** What is used of one branch; null while the store can't be asked. */
export type Level = {
  readonly limit: number;
  readonly used: number | null;
  readonly remaining: number | null;
};

export type Standing = {
  /** As it is counted: a period that runs ends as it was announced, whatever changed since. */
  readonly period: PeriodBounds;
  /** With the top-ups that are in force. */
  readonly organization: Level;
  readonly teams: Readonly<
    Record<string, Level & { readonly users: Readonly<Record<string, Level>> }>
  >;
};

export type StandingQuestion = {
  readonly tenant: TenantRef;
  readonly calendar: { readonly timezone: string; readonly billingAnchorDay: number };
  readonly quota: Quota;
  readonly topUps: readonly TopUp[];
};

/** Asks whoever counts. */
export type ReadStanding = (question: StandingQuestion) => Promise<Standing>;
