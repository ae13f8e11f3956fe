import { Field } from '../../../ui/form/Field.tsx';
import { TextField } from '../../../ui/form/inputs.tsx';
import type { OverrideDraft } from './override-draft.ts';

/** For whom and for what; nothing said is everybody, everywhere. */
export function WhomFields({
  value,
  onChange,
}: {
  readonly value: Pick<OverrideDraft, 'subject' | 'resource' | 'attributes'>;
  readonly onChange: (part: Partial<OverrideDraft>) => void;
}) {
  return (
    <>
      <div className="field-row">
        <TextField
          label="Subject"
          name="subject"
          optional
          maxLength={1024}
          placeholder="user:42"
          value={value.subject}
          onChange={(subject) => onChange({ subject })}
        />
        <TextField
          label="Resource"
          name="resource"
          optional
          maxLength={512}
          placeholder="POST:/search"
          value={value.resource}
          onChange={(resource) => onChange({ resource })}
        />
      </div>
      <Field label="Attributes" name="attributes" optional hint="name=value, one in a line.">
        {(wiring) => (
          <textarea
            {...wiring}
            className="mono override-attributes"
            rows={2}
            spellCheck={false}
            value={value.attributes}
            onChange={(event) => onChange({ attributes: event.target.value })}
          />
        )}
      </Field>
    </>
  );
}
