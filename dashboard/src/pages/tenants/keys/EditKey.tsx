import { EditObject } from '../EditObject.tsx';
import type { ApiKey } from '../objects.ts';
import { draftOf, sentOf } from './key-draft.ts';
import { KeyFields } from './KeyFields.tsx';

/** Its secret stays as it is, and nobody sees it. */
export function EditKey({
  apiKey,
  onClose,
}: {
  readonly apiKey: ApiKey;
  readonly onClose: () => void;
}) {
  return (
    <EditObject
      noun="keys"
      object={apiKey}
      title={`Edit ${apiKey.name}`}
      touches={[]}
      {...{ draftOf, sentOf, onClose }}
    >
      {(draft, change) => <KeyFields value={draft} onChange={change} kept={apiKey.expires_at} />}
    </EditObject>
  );
}
