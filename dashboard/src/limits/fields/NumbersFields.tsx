import { algorithmOf, withShare, type LimitDraft } from '../draft.ts';
import { CheckField } from '../../ui/form/inputs.tsx';
import { bindTo, type Bind } from './bind.ts';
import { NumberControl } from './controls.tsx';
import { PaceFields } from './PaceFields.tsx';
import { ShareFields } from './ShareFields.tsx';

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
