import { useState } from 'react';
import { useChange } from '../../../api/queries.ts';
import { admin } from '../../../api/request.ts';
import { Dialog } from '../../../ui/dialog/Dialog.tsx';
import { SecretMade } from '../../../ui/dialog/SecretMade.tsx';
import { Form } from '../../../ui/form/Form.tsx';
import { SelectField } from '../../../ui/form/inputs.tsx';
import { Time } from '../../../ui/Time.tsx';
import type { ApiKey, RotatedApiKey } from '../objects.ts';

const overlaps = [
  { value: '0', label: 'Not at all: it ends now' },
  { value: '3600', label: 'For 1 hour' },
  { value: '86400', label: 'For 1 day' },
  { value: '604800', label: 'For 7 days' },
  { value: '2592000', label: 'For 30 days' },
];

/** A second key with the same rights; the first one works for a while longer. */
export function RotateKey({
  apiKey,
  onClose,
}: {
  readonly apiKey: ApiKey;
  readonly onClose: () => void;
}) {
  const [overlap, setOverlap] = useState('86400');
  const rotating = useChange({
    run: () => {
      const body = { overlap_seconds: Number(overlap), version: apiKey.version };
      return admin<RotatedApiKey>('POST', `keys/${apiKey.id}/rotate`, { body });
    },
    touches: ['keys'],
  });
  return (
    <Dialog title={`Rotate ${apiKey.name}`} onClose={onClose}>
      {rotating.data ? (
        <SecretMade label="The key" secret={rotating.data.key} onClose={onClose}>
          <p className="quiet">
            The key it takes over from ends: <Time at={rotating.data.replaces.expires_at} />.
          </p>
        </SecretMade>
      ) : (
        <Form
          submit="Rotate key"
          busy={rotating.isPending}
          error={rotating.error}
          onSubmit={() => rotating.mutate(undefined)}
          onCancel={onClose}
        >
          <p className="quiet">
            You get a new key with the same name, rights and end. Meanwhile put it wherever the old
            one is.
          </p>
          <SelectField
            label="The old key still works"
            name="overlap_seconds"
            value={overlap}
            options={overlaps}
            onChange={setOverlap}
          />
        </Form>
      )}
    </Dialog>
  );
}
