// Measures our middleware beside the limiter that people use with each framework and prints a table
// of ratios for each row. Starts every server it needs on 127.0.0.1, each in a process of its own, and stops them.
// See ../README.md.

import { startRedis } from '../../test/servers/redis.ts';
import { Driver } from '../service/driver.ts';
import type { ServicePace } from '../service/options.ts';
import { runRows } from '../service/run-rows.ts';
import type { Line } from '../service/table.ts';
import { parseOptions, type MiddlewareOptions } from './options.ts';
import { linesOf, measureRow, type MeasuredRow, type RowName } from './rows.ts';

/** Ratios are of two rounds in opposite orders. */
const roundsOfLifeMin = 2;

/**
 * Processes of the same code differ by up to a seventh for as long as they live, so that a row starts
 * its servers several times.
 */
async function measureLives(name: RowName, options: MiddlewareOptions): Promise<Line[]> {
  const { livesMax } = options;
  const { rounds } = options.pace;
  const lives = Math.max(1, Math.min(livesMax, Math.floor(rounds / roundsOfLifeMin)));
  const pace = { ...options.pace, rounds: Math.ceil(rounds / lives / 2) * 2 };
  const seen: MeasuredRow[] = [];
  for (let life = 0; life < lives; life += 1) seen.push(await measureLife(name, options, pace));
  return linesOf(name, seen);
}

async function measureLife(
  name: RowName,
  { asleep, nodeArgs }: MiddlewareOptions,
  pace: ServicePace,
): Promise<MeasuredRow> {
  const driver = new Driver();
  const stops: (() => Promise<void>)[] = [];
  const startOne = async () => {
    const redis = await startRedis();
    stops.push(() => redis.stop());
    return redis.url;
  };
  try {
    const stage = { driver, nodeArgs, asleep, startRedis: startOne, stops };
    return await measureRow(name, stage, pace);
  } finally {
    driver.stop();
    for (const stop of stops.toReversed()) await stop();
  }
}

const options = parseOptions(process.argv.slice(2));
await runRows(options.only, (name) => measureLives(name, options));
