import { useState } from 'react';
import { useUnsaved } from '../leaving/leaving.ts';
import type { LimitDraft } from './draft.ts';

/** The change that saves it. */
export type Saving = {
  readonly isPending: boolean;
  readonly isSuccess: boolean;
  readonly error: unknown;
  reset(): void;
};

/** What is being written, and what a change of it sets in motion. */
export function useDraft(start: LimitDraft, saving: Saving) {
  const [draft, setDraft] = useState(start);
  const [isChanged, setChanged] = useState(false);
  useUnsaved(isChanged && !saving.isSuccess);
  const change = (next: LimitDraft) => {
    saving.reset();
    setChanged(true);
    setDraft(next);
  };
  return [draft, change] as const;
}
