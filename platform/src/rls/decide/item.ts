import type { LimitView } from 'sluice/core';
import type { Match } from '../match/match.ts';
import type { RuleLimits } from './rule-limits.ts';

/** A descriptor that a counter decides. */
export type Item = {
  readonly match: Match;
  readonly limits: RuleLimits;
  /** Whose counter. */
  readonly subject: string;
  /** 0 only looks. */
  readonly hits: number;
  readonly isShadow: boolean;
  readonly isQuota: boolean;
  /** What it says has happened already: it counts whether it fits or not. */
  readonly isAfterResponse: boolean;
  /** What it takes beyond its hits where all of it fits; 0 for none. */
  readonly grant: number;
};

/** What was seen of one. */
export type Seen = {
  /** By its own counter, whatever became of the request. */
  readonly isOver: boolean;
  /** By a counter of its own: not one that newcomers share for want of room. */
  readonly isOwn: boolean;
  readonly isCharged: boolean;
  /** What was charged beyond its hits. */
  readonly granted: number;
  /** What was used before this request. */
  readonly before: number;
  readonly view: LimitView;
  readonly nowUs: number;
};
