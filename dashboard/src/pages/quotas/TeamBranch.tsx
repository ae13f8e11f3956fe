import { Button } from '../../ui/Button.tsx';
import { newPart, pathOf, type Part, type TeamDraft } from './draft.ts';
import { Level } from './Level.tsx';
import type { QuotaReport } from './quota.ts';

/** A team with its users. */
export function TeamBranch({
  team,
  report,
  path,
  unit,
  canWrite,
  overcommit,
  onChange,
}: {
  readonly team: TeamDraft;
  readonly report: QuotaReport | null;
  readonly path: string;
  readonly unit: string;
  readonly canWrite: boolean;
  readonly overcommit: boolean;
  /** Null removes it. */
  readonly onChange: (next: TeamDraft | null) => void;
}) {
  const counted = report?.teams[team.name] ?? null;
  const endsAt = report?.ends_at ?? null;
  const { users } = team;
  const setUser = (key: string, next: Part | null) =>
    onChange({
      ...team,
      users: users.flatMap((user) => (user.key !== key ? [user] : next ? [next] : [])),
    });
  const edits = <P extends Part>(part: P, set: (next: P | null) => void) =>
    canWrite && {
      onLimit: (limit: string) => set({ ...part, limit }),
      onName: (name: string) => set({ ...part, name }),
      onRemove: () => set(null),
    };
  return (
    <li>
      <Level
        kind="team"
        part={team}
        parts={users}
        partsName="users"
        {...{ path, unit, counted, endsAt, overcommit }}
        {...edits(team, onChange)}
      />
      <ul>
        {users.map((user) => (
          <li key={user.key}>
            <Level
              kind="user"
              part={user}
              path={pathOf(`${path}.users`, user)}
              counted={counted?.users[user.name] ?? null}
              {...{ unit, endsAt, overcommit }}
              {...edits(user, (next: Part | null) => setUser(user.key, next))}
            />
          </li>
        ))}
        {canWrite && (
          <li className="quota-add">
            <Button
              size="small"
              variant="quiet"
              icon="plus"
              aria-label={`Add user to ${team.name || 'this team'}`}
              onClick={() => onChange({ ...team, users: [...users, newPart()] })}
            >
              Add user
            </Button>
          </li>
        )}
      </ul>
    </li>
  );
}
