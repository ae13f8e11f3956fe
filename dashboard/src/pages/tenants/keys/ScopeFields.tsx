import { useFieldError } from '../../../ui/form/form-context.ts';
import { useMay } from '../may.ts';
import { keyScopes, type KeyScope } from '../objects.ts';

const meanings: Readonly<Record<KeyScope, string>> = {
  check: 'ask whether a call may go ahead',
  settle: 'settle, release and keep alive what was reserved',
  usage: 'read limits and what was used of them',
  refund: 'give back what a call was charged',
  'plan:select': 'choose the plan that a call is held to',
};

/** What a caller may do with a key. */
export function ScopeFields({
  value,
  onChange,
}: {
  readonly value: readonly KeyScope[];
  readonly onChange: (value: readonly KeyScope[]) => void;
}) {
  const { isPlatform } = useMay();
  const error = useFieldError('scopes');
  const toggle = (scope: KeyScope, isOn: boolean) =>
    onChange(keyScopes.filter((one) => (one === scope ? isOn : value.includes(one))));
  return (
    <fieldset className="key-scopes">
      <legend className="label">May</legend>
      {keyScopes.map((scope) => {
        const isReserved = scope === 'plan:select' && !isPlatform;
        return (
          <label key={scope} className="check-field">
            <input
              type="checkbox"
              name="scopes"
              checked={value.includes(scope)}
              disabled={isReserved}
              onChange={(event) => toggle(scope, event.target.checked)}
            />
            <span>
              <code>{scope}</code>{' '}
              <span className="quiet">
                {meanings[scope]}
                {isReserved && '; granted only by who runs this service'}
              </span>
            </span>
          </label>
        );
      })}
      {error !== undefined && <p className="field-error">{error}</p>}
    </fieldset>
  );
}
