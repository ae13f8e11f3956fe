// Who may import whom. Anything not listed is forbidden; `npm run check` holds the code to it.

export type Room = {
  /** A folder with all that is below it, or one file. The longest match wins. */
  readonly path: string;
  /** Paths of other rooms. `sluice` and `sluice/x` mean `limiter/src/index.ts` and `limiter/src/x`. */
  readonly mayImport: readonly string[];
  /** Packages; `node:` stands for all of Node's own. Without a list, package.json alone decides. */
  readonly packages?: readonly string[];
  /** May reach into another workspace by a relative path, past its public entry. */
  readonly seesInternals?: true;
};

const core = 'limiter/src/core';
const wiring = 'limiter/src/limiter';
const library = 'limiter/src/index.ts';
const headers = 'limiter/src/headers';
const contract = 'limiter/src/contract';
const client = 'limiter/src/client';
const cost = 'limiter/src/cost';
const adaptive = 'limiter/src/adaptive';
const address = 'limiter/src/address';
const middleware = 'limiter/src/middleware';
const shield = 'limiter/src/shield';
const lint = 'limiter/src/lint';
const testing = 'limiter/src/testing';
const compat = 'limiter/src/compat';
const engines = {
  memory: 'limiter/src/engines/memory',
  redis: 'limiter/src/engines/redis',
  leased: 'limiter/src/engines/leased',
  guard: 'limiter/src/engines/guard',
} as const;
const names = 'limiter/src/engines/names';
const allEngines = Object.values(engines);
const frameworks = [
  'express',
  'fastify',
  'hono',
  'koa',
  '@nestjs/common',
  '@nestjs/core',
  'graphql',
];

const limiterRooms: readonly Room[] = [
  { path: core, mayImport: [], packages: [] },
  { path: names, mayImport: [core], packages: ['node:'] },
  { path: engines.memory, mayImport: [core, names], packages: [] },
  { path: engines.redis, mayImport: [core, names], packages: ['node:', 'ioredis'] },
  { path: engines.leased, mayImport: [core], packages: ['node:'] },
  { path: engines.guard, mayImport: [core, engines.memory], packages: ['node:'] },
  { path: headers, mayImport: [core], packages: [] },
  { path: contract, mayImport: [core], packages: [] },
  { path: client, mayImport: [core, contract, engines.guard], packages: [] },
  { path: address, mayImport: [core], packages: [] },
  { path: shield, mayImport: [core], packages: ['node:'] },
  { path: lint, mayImport: [core], packages: [] },
  { path: testing, mayImport: [core, wiring], packages: [] },
  { path: cost, mayImport: [core], packages: ['graphql'] },
  { path: adaptive, mayImport: [core], packages: ['node:'] },
  {
    path: middleware,
    mayImport: [core, address, headers, cost, lint, shield, wiring],
    packages: ['node:', ...frameworks],
  },
  {
    path: compat,
    mayImport: [core, address, wiring, middleware, engines.memory, engines.redis, engines.guard],
    packages: ['node:', 'express'],
  },
  { path: wiring, mayImport: [core, shield, ...allEngines], packages: [] },
  {
    path: library,
    mayImport: [core, wiring, ...allEngines, headers, contract, client, shield, cost, adaptive],
    packages: [],
  },
];

const database = 'platform/src/database';
const migrations = 'platform/migrations';
const control = 'platform/src/control';
const snapshot = 'platform/src/snapshot';
const decide = 'platform/src/decide';
const observe = 'platform/src/observe';
const evidence = 'platform/src/evidence';
const store = 'platform/src/store';
const overload = 'platform/src/overload';
const rls = 'platform/src/rls';
const redisUrl = 'platform/src/redis-url.ts';
const config = 'platform/src/config.ts';
const settings = 'platform/src/settings';
const cli = 'platform/src/cli';
const service = 'platform/src/service';
const main = 'platform/src/main.ts';
const doors = {
  http: 'platform/src/doors/http',
  envoy: 'platform/src/doors/envoy',
  gate: 'platform/src/doors/gate',
  gateway: 'platform/src/doors/gateway',
} as const;
const doorImports = [library, core, contract, headers, decide, observe];

const platformRooms: readonly Room[] = [
  { path: migrations, mayImport: [], packages: ['kysely'] },
  { path: database, mayImport: [migrations] },
  { path: control, mayImport: [library, core, contract, database] },
  { path: snapshot, mayImport: [library, core, contract, database, control] },
  { path: observe, mayImport: [library, core] },
  { path: redisUrl, mayImport: [], packages: [] },
  { path: store, mayImport: [library, core, redisUrl] },
  { path: evidence, mayImport: [library, core, contract, database, control, observe] },
  { path: overload, mayImport: [] },
  { path: decide, mayImport: [library, core, address, control, snapshot, observe, overload] },
  { path: rls, mayImport: [library, core, contract, headers, control, snapshot, decide, observe] },
  { path: doors.http, mayImport: [...doorImports, address, control, evidence, rls] },
  { path: doors.envoy, mayImport: [...doorImports, rls] },
  { path: doors.gate, mayImport: doorImports },
  { path: doors.gateway, mayImport: doorImports },
  { path: cli, mayImport: [library, client, contract, config, service] },
  { path: config, mayImport: [redisUrl, settings] },
  { path: settings, mayImport: [library, redisUrl] },
  {
    path: service,
    mayImport: [library, core, contract, headers, adaptive, cost]
      .concat([
        database,
        store,
        overload,
        control,
        snapshot,
        decide,
        observe,
        evidence,
        rls,
        config,
      ])
      .concat(Object.values(doors)),
  },
  { path: main, mayImport: [cli] },
];

const outsideRooms: readonly Room[] = [
  {
    path: 'dashboard/src',
    mayImport: [core, headers, client, contract],
    packages: ['react', 'react-dom', 'wouter', '@tanstack/react-query', 'uplot'],
  },
  { path: 'examples', mayImport: limiterRooms.map((room) => room.path) },
  {
    path: 'test',
    mayImport: [...limiterRooms.map(({ path }) => path), 'scripts'].concat(
      platformRooms.map(({ path }) => path),
    ),
    seesInternals: true,
  },
  {
    path: 'benchmarks',
    mayImport: [library, core, ...allEngines, middleware, control, 'test', 'scripts'],
    seesInternals: true,
  },
  { path: 'scripts', mayImport: [] },
];

export const rooms: readonly Room[] = [...limiterRooms, ...platformRooms, ...outsideRooms];

/** Tests beside the code may use these on top of what their room may. */
export const testImports = {
  // A decision to test with is made in process, as users make theirs.
  mayImport: [core, wiring],
  packages: ['node:', 'vitest', 'fast-check', 'ioredis', 'structured-headers'],
} as const satisfies Omit<Room, 'path'>;
