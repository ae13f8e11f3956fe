import { Button } from '../../ui/Button.tsx';
import { newPart, pathOf, type QuotaDraft, type TeamDraft } from './draft.ts';
import { Level } from './Level.tsx';
import type { QuotaReport } from './quota.ts';
import { TeamBranch } from './TeamBranch.tsx';

/** Organisation, teams, users: what each may use, has used, and has given to those below. */
export function QuotaTree({
  draft,
  report,
  canWrite,
  mayChangeTerms,
  onChange,
}: {
  readonly draft: QuotaDraft;
  readonly report: QuotaReport | null;
  readonly canWrite: boolean;
  /** The organisation's own limit is the platform's to set. */
  readonly mayChangeTerms: boolean;
  readonly onChange: (patch: Partial<QuotaDraft>) => void;
}) {
  const { teams, unit } = draft;
  const setTeam = (key: string, next: TeamDraft | null) =>
    onChange({
      teams: teams.flatMap((team) => (team.key !== key ? [team] : next ? [next] : [])),
    });
  const addTeam = () => onChange({ teams: [...teams, { ...newPart(), users: [] }] });
  return (
    <>
      <div className="quota-heads" aria-hidden="true">
        <span>Level</span>
        <span>Limit</span>
        <span>Used</span>
        <span>Given to those below</span>
      </div>
      <ul className="quota-tree">
        <li>
          <Level
            kind="organisation"
            path=""
            part={{ key: '', name: 'Organisation', limit: draft.limit }}
            parts={teams}
            partsName="teams"
            unit={unit}
            counted={report}
            extra={report ? report.effective_limit - report.limit : 0}
            endsAt={report?.ends_at ?? null}
            overcommit={draft.overcommit}
            {...(mayChangeTerms && { onLimit: (limit: string) => onChange({ limit }) })}
          />
          <ul>
            {teams.map((team) => (
              <TeamBranch
                key={team.key}
                {...{ team, report, unit, canWrite }}
                path={pathOf('teams', team)}
                overcommit={draft.overcommit}
                onChange={(next) => setTeam(team.key, next)}
              />
            ))}
            {canWrite && (
              <li className="quota-add">
                <Button size="small" icon="plus" onClick={addTeam}>
                  Add team
                </Button>
              </li>
            )}
          </ul>
        </li>
      </ul>
    </>
  );
}
