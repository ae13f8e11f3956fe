import type { ReactNode } from 'react';
import type { Charge } from './state.ts';

export type Span = {
  readonly fromMs: number;
  readonly toMs: number;
  readonly kind: 'window' | 'past' | 'view';
  readonly label?: ReactNode;
  /** How full it is, from 0 to 1; without it, it is a frame. */
  readonly fill?: number;
};

/** Time from left to right: windows, what was charged in them, and now. */
export function Timeline({
  fromMs,
  toMs,
  nowMs,
  spans,
  charges,
  label,
}: {
  readonly fromMs: number;
  readonly toMs: number;
  readonly nowMs: number;
  readonly spans: readonly Span[];
  readonly charges: readonly Charge[];
  readonly label: string;
}) {
  const at = (ms: number) => `${Math.min(1, Math.max(0, (ms - fromMs) / (toMs - fromMs))) * 100}%`;
  const widthOf = (span: Span) =>
    `${((Math.min(span.toMs, toMs) - Math.max(span.fromMs, fromMs)) / (toMs - fromMs)) * 100}%`;
  return (
    <div className="timeline" role="img" aria-label={label}>
      {spans.map((span) => (
        <div
          key={`${span.kind} ${span.kind === 'view' ? '' : span.fromMs}`}
          className={`span span-${span.kind}`}
          style={{ insetInlineStart: at(span.fromMs), inlineSize: widthOf(span) }}
        >
          {span.fill !== undefined && (
            <span className="span-fill" style={{ blockSize: `${Math.min(1, span.fill) * 100}%` }} />
          )}
          {span.label !== undefined && <span className="span-label">{span.label}</span>}
        </div>
      ))}
      {charges
        .filter(({ atMs }) => atMs >= fromMs && atMs <= toMs)
        .map(({ atMs }, number) => (
          <span key={number} className="mark" style={{ insetInlineStart: at(atMs) }} />
        ))}
      <span className="now" style={{ insetInlineStart: at(nowMs) }} />
    </div>
  );
}
