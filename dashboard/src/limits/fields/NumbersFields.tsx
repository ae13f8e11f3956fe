import { algorithmOf, withShare, type LimitDraft } from '../draft.ts';
import { CheckField } from '../../ui/form/inputs.tsx';
import { bindTo, type Bind } from './bind.ts';
import { ChoiceControl, NumberControl, TextControl } from './controls.tsx';

const periods = ['hour', 'day', 'week', 'month', 'year'].map((value) => ({
  value,
  label: `a ${value}`.replace('a hour', 'an hour'),
}));

/** How much there is, and how it comes back. */
export function NumbersFields({
  draft,
  path,
  others,
  onChange,
}: {
  readonly draft: LimitDraft;
  readonly path: string;
  /** The names of limits that this one can be a share of. */
  readonly others: readonly string[];
  readonly onChange: (draft: LimitDraft) => void;
}) {
  const bind = bindTo(draft, path, onChange);
  const isShare = draft['share_of'] !== undefined;
  const [first = ''] = others;
  const share = (on: boolean) => withShare(draft, on ? { limit: first, ratio: 0.1 } : undefined);
  return (
    <>
      <div className="field-row">
        {isShare ? (
          <ShareFields {...{ draft, path, others, onChange }} />
        ) : (
          <SizeField {...{ draft, bind }} />
        )}
        <PaceFields {...{ draft, bind, isShare }} />
      </div>
      {(isShare || others.length > 0) && (
        <CheckField
          label="As large as a share of another limit"
          name={`${path}.is_share`}
          value={isShare}
          onChange={(on) => onChange(share(on))}
        />
      )}
    </>
  );
}

function SizeField({ draft, bind }: { readonly draft: LimitDraft; readonly bind: Bind }) {
  switch (algorithmOf(draft)) {
    case 'token_bucket':
      return (
        <NumberControl label="Capacity" bound={bind('bucket_capacity')} hint="The largest burst." />
      );
    case 'concurrency':
      return <NumberControl label="Calls at once" bound={bind('max_concurrent')} />;
    case 'fixed_window':
    case 'sliding_window_log':
    case 'sliding_window_counter':
      return <NumberControl label="Limit" bound={bind('limit')} hint="In each window." />;
    case 'quota':
      return <NumberControl label="Allowance" bound={bind('limit')} />;
  }
}

function PaceFields({
  draft,
  bind,
  isShare,
}: {
  readonly draft: LimitDraft;
  readonly bind: Bind;
  readonly isShare: boolean;
}) {
  switch (algorithmOf(draft)) {
    case 'token_bucket':
      return (
        <NumberControl
          label="Refill per second"
          bound={bind('refill_rate_per_sec')}
          optional={isShare}
          hint={isShare ? 'Default: the same share.' : '0.5 is one in two seconds.'}
        />
      );
    case 'concurrency':
      return (
        <NumberControl
          label="A slot lapses after (seconds)"
          bound={bind('stale_after_seconds')}
          hint="When nobody says that the call has ended."
        />
      );
    case 'fixed_window':
    case 'sliding_window_log':
    case 'sliding_window_counter':
      return <NumberControl label="Window (seconds)" bound={bind('window_seconds')} />;
    case 'quota':
      return (
        <>
          <ChoiceControl label="Period" bound={bind('period')} options={periods} />
        </>
      );
  }
}

function ShareFields({ draft, path, others, onChange }: Parameters<typeof NumbersFields>[0]) {
  const share = draft['share_of'] as LimitDraft;
  const bind = bindTo(share, `${path}.share_of`, (next) => onChange({ ...draft, share_of: next }));
  const options = others.map((value) => ({ value, label: value }));
  return (
    <>
      <ChoiceControl label="Share of" bound={bind('limit')} options={options} />
      <NumberControl
        label="Ratio"
        bound={bind('ratio')}
        hint="0.1 is a tenth; follows overrides."
      />
    </>
  );
}

/** What a quota needs besides: rarely other than the defaults. */
export function CalendarFields({ bind }: { readonly bind: Bind }) {
  return (
    <div className="field-row">
      <NumberControl
        label="Anchor"
        bound={bind('anchor')}
        optional
        placeholder="1"
        hint="The billing day, or a date that periods count from."
      />
      <TextControl
        label="Time zone"
        bound={bind('timezone')}
        optional
        placeholder="UTC"
        hint="Such as Europe/Berlin: periods end at its midnight."
      />
    </div>
  );
}
