import { useMemo } from 'react';
import { Card } from '../../ui/Card.tsx';
import { Icon } from '../../ui/Icon.tsx';
import { nameOf, type LimitDraft } from '../draft.ts';
import { limitOf } from '../model/bound.ts';
import { rightLimits } from '../problems.ts';
import { Headers } from './Headers.tsx';
import { LetThrough } from './LetThrough.tsx';

/** What the limits would do, while they are being written: of the open one, else of the first. */
export function Preview({
  limits,
  open,
  onOpen,
}: {
  readonly limits: readonly LimitDraft[];
  readonly open: number | null;
  readonly onOpen: (at: number) => void;
}) {
  const text = JSON.stringify(limits);
  const bound = useMemo(() => {
    const right = rightLimits(JSON.parse(text) as readonly LimitDraft[]);
    return right.map((one) => one && limitOf(one, right));
  }, [text]);
  const at = open ?? 0;
  const limit = bound[at] ?? null;
  const usable = useMemo(() => bound.filter((one) => one !== null), [bound]);
  return (
    <aside className="preview" aria-label="What it would do">
      <Card
        title="What it lets through"
        about="Simulated here, by the arithmetic that the service decides by."
        actions={limits.length > 1 && <LimitPicker {...{ limits, at, onOpen }} />}
      >
        {limit ? <LetThrough limit={limit} /> : <Nothing draft={limits[at]} />}
      </Card>
      {usable.length > 0 && (
        <Card title="What callers see" about="As if every limit here applied to the call.">
          <Headers limits={usable} usedUp={limit ?? usable[0] ?? null} />
        </Card>
      )}
    </aside>
  );
}

function LimitPicker({
  limits,
  at,
  onOpen,
}: {
  readonly limits: readonly LimitDraft[];
  readonly at: number;
  readonly onOpen: (at: number) => void;
}) {
  return (
    <select
      className="limit-picker"
      aria-label="Limit"
      value={at}
      onChange={({ target }) => onOpen(Number(target.value))}
    >
      {limits.map((limit, place) => (
        // oxlint-disable-next-line react/no-array-index-key -- its place is all that it has
        <option key={place} value={place}>
          {nameOf(limit)}
        </option>
      ))}
    </select>
  );
}

function Nothing({ draft }: { readonly draft: LimitDraft | undefined }) {
  const words =
    draft === undefined
      ? 'Without limits everything is let through.'
      : draft['mode'] === 'off'
        ? 'It is off: everything is let through.'
        : 'Once the limit is right, it is drawn here.';
  return (
    <p className="notice tone-neutral">
      <Icon name="gauge" />
      {words}
    </p>
  );
}
