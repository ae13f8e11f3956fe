import { median } from '../measure.ts';
import type { Driver } from './driver.ts';
import type { ServicePace } from './options.ts';
import type { Server } from './process.ts';

/** One server under one load. */
export type Contender = {
  readonly server: Server;
  /** The load's name, as the driver knows it. */
  readonly load: string;
  /** What one answer decides. */
  readonly decisions: number;
};

/** What one round saw, or the medians of all rounds. */
export type Sample = {
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** Processor time of the server's process for each decision. */
  readonly cpuUs: number;
};

/**
 * A server's code is compiled for what it was asked so far, and to be asked for its processor time, as
 * before and after each round, is something else: much is compiled anew then, for tens of thousands
 * of calls. So it is asked that all through the warm-up too; and some rounds do not count.
 */
const warmUpParts = 6;
const roundsToSettle = 4;

export type Measured<Name extends string> = Readonly<Record<Name, readonly Sample[]>>;

export async function measure<Name extends string>(
  driver: Driver,
  contenders: Readonly<Record<Name, Contender>>,
  pace: ServicePace,
): Promise<Measured<Name>> {
  const names = Object.keys(contenders) as Name[];
  const samples = Object.fromEntries(names.map((name) => [name, [] as Sample[]])) as Record<
    Name,
    Sample[]
  >;
  for (const name of names) {
    const { server, load } = contenders[name];
    const calls = Math.ceil(pace.warmUpCalls / warmUpParts);
    for (let part = 0; part < warmUpParts; part += 1) {
      await server.cpuUs();
      await driver.warmUp(load, calls);
    }
  }
  for (let round = -roundsToSettle; round < pace.rounds; round += 1) {
    // Nobody always comes after the same other one.
    const order = round % 2 === 0 ? names : names.toReversed();
    for (const name of order) {
      const sample = await sampleRound(driver, contenders[name], pace.roundMs);
      if (round >= 0) samples[name].push(sample);
    }
  }
  return samples;
}

async function sampleRound(
  driver: Driver,
  { server, load, decisions }: Contender,
  ms: number,
): Promise<Sample> {
  const beforeUs = await server.cpuUs();
  const { answers, tookMs, p50Ms, p99Ms } = await driver.run(load, ms);
  const decided = answers * decisions;
  const cpuUs = ((await server.cpuUs()) - beforeUs) / decided;
  return { perSecond: (decided * 1000) / tookMs, p50Ms, p99Ms, cpuUs };
}

/**
 * The subject's rate over the baseline's, of two rounds at a time: who comes second finds what the
 * first left behind, so that each is first once, and what slows both down cancels out.
 */
export function ratioOf(subject: readonly Sample[], baseline: readonly Sample[]): number {
  return pairedRatio(subject, baseline, ({ perSecond }) => perSecond);
}

/** The same of what a processor's time decides: it swings less than the rate on a busy machine. */
export function cpuRatioOf(subject: readonly Sample[], baseline: readonly Sample[]): number {
  return pairedRatio(subject, baseline, ({ cpuUs }) => 1 / cpuUs);
}

function pairedRatio(
  subject: readonly Sample[],
  baseline: readonly Sample[],
  of: (sample: Sample) => number,
): number {
  const ratios = subject.map((sample, round) => {
    const other = baseline[round];
    if (!other) throw new Error('the contenders were measured in different numbers of rounds');
    return of(sample) / of(other);
  });
  const pairs: number[] = [];
  for (let at = 0; at + 1 < ratios.length; at += 2) {
    pairs.push(Math.sqrt((ratios[at] as number) * (ratios[at + 1] as number)));
  }
  return median(pairs);
}

export function medians(samples: readonly Sample[]): Sample {
  const of = (field: keyof Sample) => median(samples.map((sample) => sample[field]));
  return {
    perSecond: of('perSecond'),
    p50Ms: of('p50Ms'),
    p99Ms: of('p99Ms'),
    cpuUs: of('cpuUs'),
  };
}
