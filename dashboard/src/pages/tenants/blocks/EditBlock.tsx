import { EditObject } from '../EditObject.tsx';
import type { Block } from '../objects.ts';
import { draftOf, sentOf, whoInWords } from './block-draft.ts';
import { BlockFields } from './BlockFields.tsx';

/** Whom it is for stays: somebody else is another block. */
export function EditBlock({
  block,
  onClose,
}: {
  readonly block: Block;
  readonly onClose: () => void;
}) {
  return (
    <EditObject
      noun="blocks"
      object={block}
      title={`Edit the ${block.action} of ${whoInWords(block)}`}
      touches={[]}
      {...{ draftOf, sentOf, onClose }}
    >
      {(draft, change) => <BlockFields value={draft} onChange={change} kept={block.expires_at} />}
    </EditObject>
  );
}
