import { useContext, useId } from 'react';
import { Badge } from '../ui/Badge.tsx';
import { FormErrors } from '../ui/form/form-context.ts';
import { Icon } from '../ui/Icon.tsx';
import { nameOf, type LimitDraft } from './draft.ts';
import { LimitForm } from './LimitForm.tsx';
import { rightLimits } from './problems.ts';
import { limitInWords, perInWords } from './words.ts';

/** One limit in a list: its sentence, and when open its fields. */
export function LimitCard({
  draft,
  path,
  others,
  isOpen,
  allowGlobal,
  onToggle,
  onRemove,
  onChange,
}: {
  readonly draft: LimitDraft;
  readonly path: string;
  readonly others: readonly string[];
  readonly isOpen: boolean;
  readonly allowGlobal: boolean;
  readonly onToggle: () => void;
  readonly onRemove: () => void;
  readonly onChange: (draft: LimitDraft) => void;
}) {
  const id = useId();
  const errors = useContext(FormErrors);
  const isWrong = errors.some(({ field }) => field === path || field.startsWith(`${path}.`));
  const name = nameOf(draft);
  return (
    <section className={`limit-card ${isOpen ? 'is-open' : ''}`} aria-label={`Limit ${name}`}>
      <header>
        <button
          type="button"
          className="limit-toggle"
          aria-expanded={isOpen}
          aria-controls={id}
          onClick={onToggle}
        >
          <Icon name="chevron" />
          <span>
            <strong>{name}</strong> <span className="quiet">{sentenceOf(draft)}</span>
          </span>
          {isWrong && <Badge tone="bad">Put right</Badge>}
        </button>
        <button type="button" className="icon-button" onClick={onRemove}>
          <Icon name="trash" label={`Remove ${name}`} />
        </button>
      </header>
      <div id={id} className="limit-body" hidden={!isOpen}>
        {isOpen && <LimitForm {...{ draft, path, others, allowGlobal, onChange }} />}
      </div>
    </section>
  );
}

function sentenceOf(draft: LimitDraft): string {
  const [limit] = rightLimits([draft]);
  return limit ? `${limitInWords(limit)}, ${perInWords(limit)}` : '';
}
