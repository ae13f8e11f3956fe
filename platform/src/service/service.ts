import type { Address, Config } from '../config.ts';
import { mint } from '../control/credentials/credential.ts';
import { Publisher } from '../control/epochs/publisher.ts';
import { Usage } from '../control/usage/usage.ts';
import { AddressFailures, Settlements, SheddingDecider } from '../decide/index.ts';
import { isFirst, isUnavailable } from '../database/index.ts';
import { adminRoutes, type Control } from '../doors/http/admin/index.ts';
import { checkRoutes } from '../doors/http/check/routes.ts';
import { demoRoute } from '../doors/http/demo.ts';
import { createDrain, drainTogether, type Drain } from '../doors/http/drain.ts';
import { liveRoute } from '../doors/http/live.ts';
import { observeRequests } from '../doors/http/observe-requests.ts';
import { settleRoutes } from '../doors/http/settle/routes.ts';
import { createServer, type HttpServer } from '../doors/http/server.ts';
import { systemRoutes } from '../doors/http/system.ts';
import { usageRoute } from '../doors/http/usage.ts';
import {
  CheckFan,
  CheckQueue,
  metricsContentType,
  Observer,
  type LogDestination,
  type Metrics,
} from '../observe/index.ts';
import type { RateLimitService } from '../rls/index.ts';
import { startBackground } from './background.ts';
import { openControl } from './control-plane.ts';
import { seedDemo, type Demo } from './demo.ts';
import { openEvidence } from './evidence.ts';
import { layFoundation, type Foundation } from './foundation.ts';
import { openHotPath } from './hot-path.ts';
import { keptSecret } from './kept-secret.ts';
import { openMoving } from './moves.ts';
import { Opened } from './opened.ts';
import { watchOverload } from './overload.ts';
import { openGatewayDoors } from './gateway-doors.ts';

export type Service = {
  readonly url: string;
  /** Of the admin API; the same, unless it has an address of its own. */
  readonly adminUrl: string;
  /** Where gateways ask by gRPC; null where they can't. */
  readonly grpcPort: number | null;
  readonly adminToken: string;
  readonly demo: Demo | null;
  readonly foundation: Foundation;
  readonly drain: Drain;
  /** What gateways ask; null where none is to. */
  readonly rls: RateLimitService | null;
  /** After the drain: writes what is still only in memory and lets go of everything. */
  close(): Promise<void>;
};

export type ServiceOptions = {
  readonly version: string;
  /** Where log lines go; standard output by default. */
  readonly logTo?: LogDestination;
  /** All workers' together, where there are several. */
  readonly metricsText?: (metrics: Metrics) => Promise<string>;
  /** What gateways ask; without it they find no door. */
  readonly rateLimits?: RateLimitService;
};

/** A node: opens what it needs, serves, and lets go in the opposite order. */
export async function startService(config: Config, options: ServiceOptions): Promise<Service> {
  const opened = new Opened();
  try {
    return await start(config, options, opened);
  } catch (error) {
    // Else what is open would keep the process, and whoever waits for its end.
    await opened.close().catch(() => {});
    throw error;
  }
}

async function start(config: Config, options: ServiceOptions, opened: Opened): Promise<Service> {
  const { version } = options;
  const foundation = await layFoundation(config, options, opened);
  const { database, store, metrics, secrets } = foundation;
  const adminToken = keptSecret(config.dataDir, 'admin-token', {
    given: config.adminToken,
    make: () => mint('token', secrets.mark).text,
  });
  const publisher = new Publisher(database.db, store.engine);
  const moving = openMoving(foundation);
  const hotPath = await openHotPath(foundation, { ...config, moves: moving.moves });
  for (const failures of hotPath.failures) opened.add(() => failures.close());
  const { rls } = hotPath;
  if (rls) opened.add(() => rls.close());
  const { webhookPrivate, redisUnsafe, subjectDays } = config;
  const evidence = openEvidence(foundation, { ...config, feed: hotPath.feed });
  opened.add(() => evidence.live.stop());
  const background = startBackground(foundation, hotPath, {
    publisher,
    moving,
    evidence,
    webhookPrivate,
  });
  opened.add(() => background.stop());
  const { freshness } = background;
  const control = openControl(foundation, {
    publisher,
    freshness,
    onShared: () => background.publishShared(),
    onMoved: () => background.carryMoved(),
    hotPath,
    evidence,
    adminToken,
    webhookPrivate,
    redisUnsafe,
    subjectDays,
  });
  const demo = config.demo ? await openDemo(config, foundation, control) : null;

  const app = await openServer(config, options, foundation, opened);
  // Operators are not to stand in line behind callers: the second has its own connections.
  const adminApp = config.adminAddr ? await openServer(config, options, foundation, opened) : app;
  const observer = new Observer({
    metrics,
    log: foundation.log,
    secret: secrets.subject,
    tracing: foundation.tracing,
    checkLog: config.checkLog,
  });
  const { decider, recorder } = hotPath;
  const shedder = watchOverload(foundation, config, opened);
  // Apart from those of keys: who mistypes keys must not lock an operator out.
  const adminFailures = new AddressFailures();
  opened.add(() => adminFailures.close());
  const { tracing } = foundation;
  // A line names the span that is active when it is written: then it can't wait.
  const watchers = tracing.enabled
    ? new CheckFan(observer, new CheckQueue(...evidence.watchers))
    : new CheckQueue(observer, ...evidence.watchers);
  rls?.watch(watchers);
  await app.register(checkRoutes, {
    decider: new SheddingDecider({ decider, shedder, recorder, counts: config.evidence }),
    observer: watchers,
    tracing,
    metrics,
    headerProfile: config.headerProfile,
    requestIdKeys: config.requestIdKeys,
  });
  const settlements = new Settlements({ decider, engine: store.engine, quotas: hotPath.keeper });
  await app.register(settleRoutes, { settlements, metrics });
  const { engine } = store;
  await app.register(usageRoute, { decider, usage: new Usage(database.db), freshness, engine });
  if (demo) await app.register(demoRoute, { demo });
  await adminApp.register(adminRoutes, { control, failures: adminFailures });
  if (config.evidence) {
    const { tokens } = control;
    await adminApp.register(liveRoute, { live: evidence.live, tokens, failures: adminFailures });
  }
  const apps = [...new Set([app, adminApp])];
  for (const one of apps) {
    await one.register(systemRoutes, {
      version,
      basePath: config.basePath,
      isStarted: () => true,
      dependencies: dependenciesOf(foundation),
      findings: () => store.findings(),
      metrics: async () => ({
        contentType: metricsContentType,
        text: await (options.metricsText ?? ((own: Metrics) => own.text()))(metrics),
      }),
    });
  }
  const rateLimits = options.rateLimits ?? rls?.service;
  const gatewayDoors =
    rateLimits && (await openGatewayDoors(config, { foundation, rateLimits, app, opened }));
  const { httpAddr, adminAddr, basePath } = config;
  // First, so that nobody is served by a node that nobody can look into.
  if (adminAddr) await adminApp.listen({ ...adminAddr });
  await app.listen({ ...httpAddr });
  const graceMs = config.drainSeconds * 1000;
  return {
    url: urlOf(app, httpAddr, basePath),
    adminUrl: urlOf(adminApp, adminAddr ?? httpAddr, basePath),
    grpcPort: gatewayDoors?.grpcPort ?? null,
    adminToken,
    demo,
    foundation,
    rls: rls?.service ?? null,
    drain: drainTogether([
      ...apps.map((one) => createDrain(one, { graceMs })),
      ...(gatewayDoors ? [gatewayDoors.drain] : []),
    ]),
    close: () => opened.close(),
  };
}

async function openServer(
  { basePath, corsOrigins, trustedProxies, connectionsMax }: Config,
  { version }: ServiceOptions,
  foundation: Foundation,
  opened: Opened,
): Promise<HttpServer> {
  const app = await createServer({
    version,
    basePath,
    corsOrigins,
    trustedProxies,
    limits: { connectionsMax },
    isUnavailable,
    onUnexpected: (error, request) =>
      foundation.log.logger.error({ event: 'request.failed', err: error, request_id: request.id }),
  });
  opened.add(() => app.close());
  observeRequests(app, foundation);
  return app;
}

async function openDemo(
  config: Config,
  { database, secrets }: Foundation,
  control: Control,
): Promise<Demo> {
  const key = keptSecret(config.dataDir, 'demo-key', {
    given: config.demoKey,
    make: () => mint('key', secrets.mark).text,
  });
  return seedDemo(control, { key, isFirst: await isFirst(database.db, 'demo_seeded') });
}

function dependenciesOf({ database, store }: Foundation) {
  return {
    database: async () => {
      await database.ping();
      return database.embedded ? ('embedded' as const) : ('up' as const);
    },
    store: async () => {
      await store.ping();
      return store.kind === 'memory' ? ('memory' as const) : ('up' as const);
    },
  };
}

function urlOf(app: HttpServer, asked: Address, basePath: string): string {
  const address = app.server.address();
  const port = typeof address === 'object' && address ? address.port : asked.port;
  const isOpen = asked.host === '0.0.0.0' || asked.host === '::';
  const host = isOpen ? '127.0.0.1' : asked.host;
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}${basePath}`;
}
