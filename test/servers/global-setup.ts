// Starts the servers every test may use, once for the whole run. A test gets their addresses with
// `inject('redisUrl')`, keeps to names of its own in them, and never stops them: a test that wants
// to break a server starts one for itself.

import type { TestProject } from 'vitest/node';
import { type EmbeddedTemplates, prepareEmbeddedTemplates } from './embedded-templates.ts';
import { startPostgres } from './postgres.ts';
import { makeMigratedTemplate } from './postgres-template.ts';
import { buildProgram } from './program.ts';
import { buildRaceProgram } from './race-program.ts';
import { type ClusterNode, startRedisCluster } from './redis-cluster.ts';
import { startRedis } from './redis.ts';

declare module 'vitest' {
  interface ProvidedContext {
    redisUrl: string;
    redisClusterNodes: readonly ClusterNode[];
    postgresUrl: string;
    embeddedTemplates: EmbeddedTemplates;
    /** The path of the built service, null where it does not compile. */
    programPath: string | null;
    /** The path of the program that racing processes run. */
    raceProgramPath: string;
  }
}

export default async function startServers(project: TestProject): Promise<() => Promise<void>> {
  const startMs = performance.now();
  const starting = [startRedis(), startRedisCluster(), startPostgres()] as const;
  const stop = () => stopAll(starting);
  try {
    const [redis, cluster, postgres] = await Promise.all(starting);
    await makeMigratedTemplate(postgres.url);
    project.provide('programPath', buildProgram());
    project.provide('raceProgramPath', buildRaceProgram());
    project.provide('embeddedTemplates', await prepareEmbeddedTemplates());
    project.provide('redisUrl', redis.url);
    project.provide('redisClusterNodes', cluster.nodes);
    project.provide('postgresUrl', postgres.url);
  } catch (error) {
    await stop();
    throw error;
  }
  const durationS = ((performance.now() - startMs) / 1000).toFixed(1);
  console.log(`servers      Redis, Redis Cluster, PostgreSQL (${durationS} s)`);
  return stop;
}

async function stopAll(starting: readonly Promise<{ stop(): Promise<void> }>[]): Promise<void> {
  const started = await Promise.allSettled(starting);
  const running = started.filter((server) => server.status === 'fulfilled');
  await Promise.all(running.map((server) => server.value.stop()));
}
