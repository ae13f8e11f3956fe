import { medians, ratioOf, type Measured, type Sample } from './measure.ts';
import type { ServicePace } from './options.ts';

/** Who is compared, and with whom. */
export type Compared<Name extends string> = { readonly subject: Name; readonly baseline: Name };

/**
 * Measures again and again with servers that are started anew, for processes of the same code differ
 * for as long as they live. Each life tells its ratio; what is returned is of all of them.
 */
export async function measureLives<Name extends string>(
  { lives }: Pick<ServicePace, 'lives'>,
  { subject, baseline }: Compared<Name>,
  measureLife: () => Promise<Measured<Name>>,
): Promise<Measured<Name>> {
  const all: Partial<Record<Name, Sample[]>> = {};
  for (let life = 1; life <= lives; life += 1) {
    const seen = await measureLife();
    for (const name of Object.keys(seen) as Name[]) (all[name] ??= []).push(...seen[name]);
    const ratio = ratioOf(seen[subject], seen[baseline]).toFixed(2);
    const [subjectUs, baselineUs] = [subject, baseline].map((name) => medians(seen[name]).cpuUs);
    console.error(
      `life ${life} of ${lives}: ${ratio}x, server µs ${subjectUs?.toFixed(1)} / ${baselineUs?.toFixed(1)}`,
    );
  }
  return all as Measured<Name>;
}
