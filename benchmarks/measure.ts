/** How long to measure. Rounds alternate between the contenders, for the machine is not ours alone. */
export type Pace = {
  readonly rounds: number;
  readonly roundMs: number;
  readonly warmUpMs: number;
};

/** One way of doing the work. */
export type Contender = {
  /** How many runs are open at any time. */
  readonly inFlight: number;
  readonly callsPerRun: number;
  readonly run: () => void | Promise<void>;
};

/** What one round saw, or the medians of all rounds. */
export type Sample = {
  readonly callsPerSecond: number;
  /** Processor time of this process, all threads. */
  readonly clientUs: number;
  /** Time spent in the server's scripts; null without a server. */
  readonly serverUs: number | null;
};

/** Total microseconds the server has spent so far. */
export type ServerMeter = () => Promise<number>;

export type Measured<Name extends string> = Readonly<Record<Name, readonly Sample[]>>;

export async function measure<Name extends string>(
  contenders: Readonly<Record<Name, Contender>>,
  pace: Pace,
  meter: ServerMeter | null = null,
): Promise<Measured<Name>> {
  const names = Object.keys(contenders) as Name[];
  const samples = Object.fromEntries(names.map((name) => [name, [] as Sample[]])) as Record<
    Name,
    Sample[]
  >;
  for (const name of names) await runFor(contenders[name], pace.warmUpMs);
  for (let round = 0; round < pace.rounds; round += 1) {
    // Nobody always comes after the same other one, and inherits its garbage.
    const order = round % 2 === 0 ? names : names.toReversed();
    for (const name of order) {
      samples[name].push(await sampleRound(contenders[name], pace.roundMs, meter));
    }
  }
  return samples;
}

async function sampleRound(
  contender: Contender,
  ms: number,
  meter: ServerMeter | null,
): Promise<Sample> {
  const serverBeforeUs = meter ? await meter() : 0;
  const cpuBefore = process.cpuUsage();
  const { calls, tookMs } = await runFor(contender, ms);
  const cpu = process.cpuUsage(cpuBefore);
  return {
    callsPerSecond: (calls * 1000) / tookMs,
    clientUs: (cpu.user + cpu.system) / calls,
    serverUs: meter ? ((await meter()) - serverBeforeUs) / calls : null,
  };
}

async function runFor({ inFlight, callsPerRun, run }: Contender, ms: number) {
  const startMs = performance.now();
  const endMs = startMs + ms;
  let runs = 0;
  const lane = async () => {
    while (performance.now() < endMs) {
      await run();
      runs += 1;
    }
  };
  await Promise.all(Array.from({ length: inFlight }, lane));
  return { calls: runs * callsPerRun, tookMs: performance.now() - startMs };
}

/** The subject's rate over the baseline's, round by round: what slows both down cancels out. */
export function ratioOf(subject: readonly Sample[], baseline: readonly Sample[]): number {
  return median(
    subject.map(({ callsPerSecond }, round) => {
      const other = baseline[round];
      if (!other) throw new Error('the contenders were measured in different numbers of rounds');
      return callsPerSecond / other.callsPerSecond;
    }),
  );
}

export function medians(samples: readonly Sample[]): Sample {
  const serverUs = samples.flatMap((sample) => sample.serverUs ?? []);
  return {
    callsPerSecond: median(samples.map((sample) => sample.callsPerSecond)),
    clientUs: median(samples.map((sample) => sample.clientUs)),
    serverUs: serverUs.length > 0 ? median(serverUs) : null,
  };
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  const upper = sorted[middle];
  const lower = sorted[sorted.length % 2 === 0 ? middle - 1 : middle];
  if (upper === undefined || lower === undefined) throw new Error('nothing was measured');
  return (lower + upper) / 2;
}
