import { useState } from 'react';
import { useFieldError } from '../../ui/form/form-context.ts';
import { perDefault } from '../words.ts';
import type { Bound } from './bind.ts';

const parts = [
  ['tenant', 'Tenant'],
  ['subject', 'Subject'],
  ['resource', 'Resource'],
  ['key', 'API key'],
] as const;

/** What one counter is for. */
export function PerField({
  bound: { name, value, onChange },
  allowGlobal,
}: {
  readonly bound: Bound;
  readonly allowGlobal: boolean;
}) {
  const error = useFieldError(name);
  const per = Array.isArray(value) ? value.map(String) : perDefault;
  const [typed, setTyped] = useState(() => attributesIn(per));
  const attributes = attributesOf(typed).join() === attributesIn(per) ? typed : attributesIn(per);
  const set = (next: readonly string[]) =>
    onChange(next.toSorted().join() === perDefault.toSorted().join() ? undefined : next);
  const toggle = (part: string, on: boolean) =>
    set(on ? [...per, part] : per.filter((one) => one !== part));
  const named = allowGlobal ? [...parts, ['global', 'All tenants together'] as const] : parts;
  return (
    <fieldset
      className="field per"
      aria-invalid={error === undefined ? undefined : true}
      tabIndex={-1}
    >
      <legend className="label">One counter for each</legend>
      <div className="row per-parts">
        {named.map(([part, label]) => (
          <label key={part} className="check-field">
            <input
              type="checkbox"
              checked={per.includes(part)}
              onChange={({ target }) => toggle(part, target.checked)}
            />
            <span>{label}</span>
          </label>
        ))}
        <label className="per-attributes">
          <span>Attributes</span>
          <input
            value={attributes}
            placeholder="team, ip"
            autoComplete="off"
            spellCheck={false}
            onChange={({ target }) => {
              setTyped(target.value);
              const others = per.filter((one) => !one.startsWith('attributes.'));
              set([...others, ...attributesOf(target.value).map((one) => `attributes.${one}`)]);
            }}
          />
        </label>
      </div>
      {error !== undefined && <p className="field-error">{error}</p>}
    </fieldset>
  );
}

function attributesIn(per: readonly string[]): string {
  return per
    .filter((part) => part.startsWith('attributes.'))
    .map((part) => part.slice('attributes.'.length))
    .join();
}

function attributesOf(text: string): readonly string[] {
  return text
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');
}
