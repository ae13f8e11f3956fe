import { readRlsPlans } from '../service/index.ts';
import { AdminApi } from './admin-api.ts';
import { applyPlan } from './apply-plan.ts';

export type RlsPlansOptions = {
  /** Where to apply them; without it they are only said. */
  readonly url?: string | undefined;
  readonly token?: string | undefined;
  readonly say: (line: string) => void;
};

/**
 * A folder of Envoy's reference service as plans: said as JSON, or applied to a service. Throws before
 * anything is changed where one of them is no plan; what was done until another failure is said.
 */
export async function rlsPlans(folder: string, { url, token, say }: RlsPlansOptions) {
  const plans = await readRlsPlans(folder);
  if (url === undefined) return say(JSON.stringify(plans, null, 2));
  const api = new AdminApi(url, token);
  for (const plan of plans) {
    try {
      say(`${plan.name}: ${await applyPlan(api, plan)}`);
    } catch (error) {
      if (!(error instanceof Error)) throw error;
      throw new Error(`${plan.name}: ${error.message}`, { cause: error });
    }
  }
}
