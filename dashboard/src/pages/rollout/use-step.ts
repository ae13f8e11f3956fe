import { useChange } from '../../api/queries.ts';
import { admin } from '../../api/request.ts';
import type { Report } from './report.ts';

type Stepped = {
  readonly limit: string;
  readonly to: string;
  readonly enforce_from: string | null;
};

/** A stage further or back, with what the dialog says besides. */
export function useStep(
  path: 'promote' | 'step-back',
  { report, isOneOf }: { readonly report: Report; readonly isOneOf: number },
  onDone: () => void,
) {
  const { tenant_id, limit, defined_by: definer } = report;
  // Of one alone it need not be said, and a plan has no id to say it by.
  const isNamed = isOneOf > 1 && definer.kind === 'policy';
  return useChange<object, Stepped>({
    run: async (more) => {
      const policy = isNamed ? { policy_id: definer.id } : {};
      const body = { tenant_id, limit, ...policy, ...more };
      const stepped = await admin<Stepped>('POST', `rollout/${path}`, { body });
      onDone();
      return stepped;
    },
    touches: ['rollout', 'modes', 'audit'],
    done: ({ to, enforce_from: from }) =>
      from === null
        ? `${limit} is in ${to} now.`
        : `${limit} is in ${to}, and enforces from ${new Date(from).toLocaleString()} on.`,
  });
}
