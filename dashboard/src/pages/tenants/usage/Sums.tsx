import { hues } from '../../../ui/chart/hues.ts';
import { CountsTable } from './CountsTable.tsx';
import { resourceInWords } from './lines.ts';
import type { UsageReport } from './report.ts';

/** All of the time together: by resource where that was asked for, and by limit. */
export function Sums({ report: { limits, groups } }: { readonly report: UsageReport }) {
  return (
    <>
      {groups.length > 0 && (
        <CountsTable
          title="What each resource was asked for"
          about={`The busiest ${hues.length}, by the patterns of policies.`}
          of="Resource"
          rows={groups.map(({ name, totals }) => ({
            name: resourceInWords(name),
            letIn: totals.allowed + totals.warned + totals.degraded,
            refused: totals.blocked,
            wouldRefuse: totals.warned + totals.would_block,
          }))}
        />
      )}
      {limits.length > 0 && (
        <CountsTable
          title="What each limit made of it"
          about="A call that several refuse counts for each."
          of="Limit"
          rows={limits.map(({ name, allowed, blocked, would_block: wouldRefuse }) => ({
            name,
            letIn: allowed,
            refused: blocked,
            wouldRefuse,
          }))}
        />
      )}
    </>
  );
}
