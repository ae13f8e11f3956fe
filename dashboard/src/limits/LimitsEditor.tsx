import { Button } from '../ui/Button.tsx';
import { nameOf, newLimit, type LimitDraft } from './draft.ts';
import { LimitCard } from './LimitCard.tsx';

/** A list of limits, of which one is open. */
export function LimitsEditor({
  limits,
  open,
  allowGlobal,
  onOpen,
  onChange,
}: {
  readonly limits: readonly LimitDraft[];
  readonly open: number | null;
  readonly allowGlobal: boolean;
  readonly onOpen: (at: number | null) => void;
  readonly onChange: (limits: readonly LimitDraft[]) => void;
}) {
  const add = () => {
    onChange([...limits, newLimit(limits)]);
    onOpen(limits.length);
  };
  const remove = (at: number) => {
    onChange(limits.filter((_, other) => other !== at));
    if (open !== null && open >= at) onOpen(open === at ? null : open - 1);
  };
  return (
    <div className="limit-list">
      <ol>
        {limits.map((draft, at) => (
          // A limit has nothing that stays the same but its place.
          // oxlint-disable-next-line react/no-array-index-key
          <li key={at}>
            <LimitCard
              draft={draft}
              path={`limits[${at}]`}
              others={sharedBy(limits, at)}
              isOpen={open === at}
              allowGlobal={allowGlobal}
              onToggle={() => onOpen(open === at ? null : at)}
              onRemove={() => remove(at)}
              onChange={(next) => onChange(limits.map((one, of) => (of === at ? next : one)))}
            />
          </li>
        ))}
      </ol>
      <Button icon="plus" onClick={add}>
        Add a limit
      </Button>
    </div>
  );
}

/** A share is of a limit with numbers of its own. */
function sharedBy(limits: readonly LimitDraft[], at: number): readonly string[] {
  return limits.filter((one, of) => of !== at && one['share_of'] === undefined).map(nameOf);
}
