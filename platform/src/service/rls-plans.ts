import type { WirePlan } from 'sluice/contract';
import { plansOf, readRlsFolder } from '../rls/index.ts';

export type RlsPlan = Omit<WirePlan, 'tenant_id'>;

/** The domains of a folder as plans of their name. Throws where one can't be said as a plan, and says why. */
export async function readRlsPlans(folder: string): Promise<readonly RlsPlan[]> {
  const converted = plansOf(await readRlsFolder(folder));
  const problems = converted.flatMap((one) =>
    'problem' in one ? [`${one.domain}: ${one.problem}`] : [],
  );
  if (problems.length > 0) throw new Error(problems.join('\n'));
  return converted.flatMap((one) => ('plan' in one ? [one.plan] : []));
}
