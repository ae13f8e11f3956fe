import { Icon } from '../../ui/Icon.tsx';
import { count } from '../../ui/words.ts';
import { excessOf, type QuotaDraft } from './draft.ts';

/** Where more is promised than there is, and what that means. */
export function OverAllocation({ draft }: { readonly draft: QuotaDraft }) {
  const { limit, teams, overcommit } = draft;
  const places = [
    { name: 'The organisation', excess: excessOf(limit, teams) },
    ...teams.map((team) => ({
      name: team.name === '' ? 'The new team' : team.name,
      excess: excessOf(team.limit, team.users),
    })),
  ].filter(({ excess }) => excess > 0);
  return (
    <div className={`notice ${overcommit ? 'tone-warning' : 'tone-bad'}`} role="status">
      <Icon name="alert" />
      <div>
        {places.map(({ name, excess }) => (
          <p key={name}>
            {name} promises {count(excess)} more than it has.
          </p>
        ))}
        <p>
          {overcommit
            ? 'That is allowed here: who comes first uses it, and the level above still caps all of them.'
            : 'Lower what is given, raise what there is, or allow overcommit.'}
        </p>
      </div>
    </div>
  );
}
