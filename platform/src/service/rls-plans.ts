import { plansOf, readRlsFolder } from '../rls/index.ts';

/** The domains of a folder as plans, in JSON. Throws where one can't be said as a plan, and says why. */
export async function rlsPlans(folder: string): Promise<string> {
  const converted = plansOf(await readRlsFolder(folder));
  const problems = converted.flatMap((one) =>
    'problem' in one ? [`${one.domain}: ${one.problem}`] : [],
  );
  if (problems.length > 0) throw new Error(problems.join('\n'));
  const plans = converted.flatMap((one) => ('plan' in one ? [one.plan] : []));
  return JSON.stringify(plans, null, 2);
}
