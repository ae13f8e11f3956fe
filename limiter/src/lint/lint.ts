import type { LimitInput } from '../core/limit-input.ts';

/** What each code is about. A code never changes its meaning. */
export const lintCodes = {
  SL001: 'a limiter is made again and again, as in a handler',
  SL002: 'requests come through a proxy that is not trusted',
  SL003: 'everybody is trusted to say for whom they speak',
  SL004: 'a part of the key is the text of nothing, such as "undefined"',
  SL005: 'a duration looks like seconds and means milliseconds',
  SL006: 'two sets of limits share the counters of one store',
  SL007: 'a route of the table can never match',
  SL008: 'nothing is limited',
  SL009: 'a cost is in a unit that no limit counts',
} as const;

export type LintCode = keyof typeof lintCodes;

export type Finding = {
  readonly code: LintCode;
  /** `error`: it does not do what it says. `warning`: it may not. */
  readonly severity: 'error' | 'warning';
  readonly field: string;
  /** What is wrong, and what to do. */
  readonly message: string;
};

/** What is looked at of the options of any adapter. */
export type LintConfig = {
  readonly limiter?: unknown;
  readonly limits?: readonly LimitInput[];
  readonly plans?: Readonly<Record<string, readonly LimitInput[]>>;
  readonly routes?: Readonly<Record<string, { readonly limits?: readonly LimitInput[] } | false>>;
  readonly costs?: unknown;
  readonly trustProxy?: unknown;
};

/** What only a running program knows. */
export type LintContext = {
  /** How often the same was made. */
  readonly madeTimes?: number;
  /** A request said whom it was forwarded for. */
  readonly forwardedSeen?: boolean;
  /** The framework believes any `X-Forwarded-For`. */
  readonly frameworkTrustsAll?: boolean;
  /** The part of the key that came as the text of nothing. */
  readonly nothingIn?: string;
  /** Other limits count under the same name in the same store. */
  readonly nameIsTaken?: string;
};

const madeTimesMax = 10;

/** Every mistake that can be seen from here; none where there is none. */
export function lint(config: LintConfig, context: LintContext = {}): Finding[] {
  return [...aboutContext(config, context), ...aboutLimits(config), ...aboutRoutes(config)];
}

function aboutContext({ trustProxy }: LintConfig, context: LintContext): Finding[] {
  const { madeTimes = 0, forwardedSeen, frameworkTrustsAll, nothingIn, nameIsTaken } = context;
  const findings: Finding[] = [];
  if (madeTimes >= madeTimesMax) {
    findings.push(
      error(
        'SL001',
        'limits',
        'the same limits were made many times, so each counts from zero; make the middleware once, outside of handlers',
      ),
    );
  }
  const trustsNobody = trustProxy === undefined || trustProxy === 0;
  if (forwardedSeen && trustsNobody) {
    findings.push(
      warning(
        'SL002',
        'trustProxy',
        'a request was forwarded, and no proxy is trusted: all callers behind it count as one; say how many hops, or which networks',
      ),
    );
  }
  if (trustProxy === 'framework' && frameworkTrustsAll) {
    findings.push(
      error(
        'SL003',
        'trustProxy',
        'the framework believes any X-Forwarded-For, so callers choose whom they count as; name the proxies',
      ),
    );
  }
  if (nothingIn !== undefined) {
    findings.push(
      error(
        'SL004',
        `by.${nothingIn}`,
        'came as the text of nothing, such as "undefined"; return undefined itself where there is nobody',
      ),
    );
  }
  if (nameIsTaken !== undefined) {
    findings.push(
      error(
        'SL006',
        'name',
        `other limits count as "${nameIsTaken}" in the same store, and share counters; give each a name`,
      ),
    );
  }
  return findings;
}

function aboutLimits(config: LintConfig): Finding[] {
  const { limiter, limits, plans, routes, costs } = config;
  const all = limitsIn(config);
  const findings = all.flatMap(({ field, limit }) => aboutDurations(field, limit));
  if (limiter === undefined && all.length === 0) {
    findings.push(error('SL008', 'limits', 'there are none, so nobody is ever refused'));
  }
  if (limiter === undefined && typeof costs === 'object' && costs !== null) {
    const units = new Set(all.map(({ limit }) => limit.unit ?? 'requests'));
    for (const unit of Object.keys(costs).filter((one) => !units.has(one))) {
      findings.push(
        warning('SL009', `costs.${unit}`, `no limit counts ${unit}; give one the unit`),
      );
    }
  }
  return limits || plans || routes ? findings : findings.filter(({ code }) => code === 'SL008');
}

type Placed = { readonly field: string; readonly limit: LimitInput };

function limitsIn({ limits = [], plans = {}, routes = {} }: LintConfig): Placed[] {
  const placed = (field: string, list: readonly LimitInput[]) =>
    list.map((limit, at) => ({ field: `${field}[${at}]`, limit }));
  return [
    ...placed('limits', limits),
    ...Object.entries(plans).flatMap(([name, list]) => placed(`plans.${name}`, list)),
    ...Object.entries(routes).flatMap(([name, rules]) =>
      rules === false ? [] : placed(`routes["${name}"].limits`, rules.limits ?? []),
    ),
  ];
}

const durationFields = ['window', 'staleAfter', 'blockFor', 'blockMax'] as const;
const secondMs = 1000;

function aboutDurations(field: string, limit: LimitInput): Finding[] {
  const given = limit as Partial<Record<(typeof durationFields)[number], unknown>>;
  return durationFields.flatMap((name) => {
    const value = given[name];
    if (typeof value !== 'number' || value >= secondMs) return [];
    const meant = `numbers are milliseconds, so this is ${value} ms; write "${value} s" or "${value} ms"`;
    return [warning('SL005', `${field}.${name}`, meant)];
  });
}

const resourcePattern = /^([A-Z]+:\/|\*unmatched$)/;

function aboutRoutes({ routes = {} }: LintConfig): Finding[] {
  return Object.keys(routes)
    .filter((name) => !resourcePattern.test(name))
    .map((name) =>
      error(
        'SL007',
        `routes["${name}"]`,
        'never matches; write the method, a colon and the template, such as "POST:/search"',
      ),
    );
}

function error(code: LintCode, field: string, message: string): Finding {
  return { code, severity: 'error', field, message };
}

function warning(code: LintCode, field: string, message: string): Finding {
  return { code, severity: 'warning', field, message };
}
