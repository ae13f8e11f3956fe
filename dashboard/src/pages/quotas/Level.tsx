import { Icon } from '../../ui/Icon.tsx';
import { Allocated } from './Allocated.tsx';
import { Cell } from './Cell.tsx';
import { numberOf, type Part } from './draft.ts';
import type { Counted } from './quota.ts';
import { Used } from './Used.tsx';
import { count } from '../../ui/words.ts';

/** One level of the tree: its name, its limit, what is used and what is given to its parts. */
export function Level(props: {
  readonly kind: 'organisation' | 'team' | 'user';
  /** As errors about it are addressed; empty for the organisation. */
  readonly path: string;
  readonly part: Part;
  readonly parts?: readonly Part[];
  readonly partsName?: string;
  readonly unit: string;
  readonly counted: Counted | null;
  /** By top-ups. */
  readonly extra?: number;
  readonly endsAt: string | null;
  readonly overcommit: boolean;
  /** Those that may be changed. */
  readonly onLimit?: (limit: string) => void;
  readonly onName?: (name: string) => void;
  readonly onRemove?: () => void;
}) {
  const { kind, path, part, parts, partsName = '', unit, counted, endsAt, overcommit } = props;
  const { extra = 0, onLimit, onName, onRemove } = props;
  const called = part.name === '' ? `new ${kind}` : part.name;
  const limitPath = path === '' ? 'limit' : `${path}.limit`;
  return (
    <div className={`quota-level quota-${kind}`}>
      <div className="quota-name">
        {onName ? (
          <Cell
            label={`Name of ${called}`}
            name={`${path}.name`}
            value={part.name}
            placeholder={`Name of the ${kind}`}
            onChange={onName}
          />
        ) : (
          <strong>{part.name}</strong>
        )}
      </div>
      <div className="quota-limit">
        {onLimit ? (
          <Cell
            label={`Limit of ${called}`}
            name={limitPath}
            value={part.limit}
            placeholder="Limit"
            inputMode="numeric"
            onChange={onLimit}
          />
        ) : (
          <span className="figures">{count(numberOf(part.limit))}</span>
        )}
      </div>
      <div className="quota-figures">
        <Used {...{ called, counted, extra, unit, endsAt }} limit={part.limit} />
        {parts && parts.length > 0 && (
          <Allocated {...{ called, parts, partsName, overcommit }} limit={part.limit} />
        )}
      </div>
      {onRemove && (
        <button type="button" className="icon-button quota-remove" onClick={onRemove}>
          <Icon name="trash" label={`Remove ${called}`} />
        </button>
      )}
    </div>
  );
}
