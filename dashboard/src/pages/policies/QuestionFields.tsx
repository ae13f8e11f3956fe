import type { Bind } from '../../limits/fields/bind.ts';
import { LinesControl, NumberControl, TextControl } from '../../limits/fields/controls.tsx';
import { readAttributes, readCosts, showPairs } from '../../limits/fields/lines.ts';

/** A check, as `POST /v1/check` takes it. */
export function QuestionFields({ bind }: { readonly bind: Bind }) {
  return (
    <>
      <TextControl label="Resource" bound={bind('resource')} placeholder="POST:/search" />
      <TextControl label="Subject" bound={bind('subject')} placeholder="user:42" />
      <NumberControl
        label="Cost"
        bound={bind('cost')}
        optional
        placeholder="as the policy says, else 1"
      />
      <LinesControl
        label="Attributes"
        bound={bind('attributes')}
        show={showPairs}
        read={readAttributes}
        placeholder="team = eng"
      />
      <details className="more">
        <summary>More</summary>
        <div className="stack">
          <LinesControl
            label="Costs in further units"
            bound={bind('costs')}
            show={showPairs}
            read={readCosts}
            placeholder="elements = 50"
          />
          <TextControl
            label="Plan id"
            bound={bind('plan_id')}
            optional
            hint="In place of the tenant’s own plan."
          />
          <TextControl label="Key id" bound={bind('key_id')} optional hint="The key that asks." />
        </div>
      </details>
    </>
  );
}
