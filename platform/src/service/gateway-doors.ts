import type { Config } from '../config.ts';
import {
  Health,
  healthRoutes,
  openEnvoyDoor,
  jsonRoutes,
  type TlsFiles,
} from '../doors/envoy/index.ts';
import type { Drain } from '../doors/http/drain.ts';
import type { HttpServer } from '../doors/http/server.ts';
import type { RateLimitService } from '../rls/ask.ts';
import type { Foundation } from './foundation.ts';
import type { Opened } from './opened.ts';

/** How gateways reach the rate limit service: routes on the HTTP door, and gRPC unless it is off. */
export type GatewayDoors = {
  /** Null where gRPC is off. */
  readonly grpcPort: number | null;
  readonly drain: Drain;
};

/** Before the HTTP door listens: its routes are added here. */
export async function openGatewayDoors(
  config: Config,
  {
    foundation: { store, metrics, log },
    rateLimits,
    app,
    opened,
  }: {
    readonly foundation: Foundation;
    readonly rateLimits: RateLimitService;
    readonly app: HttpServer;
    readonly opened: Opened;
  },
): Promise<GatewayDoors> {
  const health = new Health({ rateLimits, isStoreThere: () => store.isThere() });
  opened.add(async () => health.close());
  await app.register(healthRoutes, { health });
  if (config.rlsJson) await app.register(jsonRoutes, { rateLimits });
  if (config.grpcAddr === null) return { grpcPort: null, drain: onlySaying(health) };
  const door = await openEnvoyDoor(
    {
      address: config.grpcAddr,
      tls: tlsOf(config),
      reflection: config.grpcReflection,
      connectionAgeMs: config.grpcConnectionAgeSeconds * 1000,
      connectionsMax: config.connectionsMax,
      graceMs: config.drainSeconds * 1000,
    },
    { rateLimits, health, metrics, log },
  );
  opened.add(() => door.close());
  return { grpcPort: door.port, drain: door.drain };
}

function tlsOf(config: Config): TlsFiles | null {
  const { grpcTlsCert, grpcTlsKey, grpcTlsClientCa, grpcTlsClientSan } = config;
  if (grpcTlsCert === null || grpcTlsKey === null) return null;
  return {
    certPath: grpcTlsCert,
    keyPath: grpcTlsKey,
    clientCaPath: grpcTlsClientCa,
    clientSan: grpcTlsClientSan,
  };
}

/** Where gRPC is off the routes go with the HTTP door; until then they say that they will. */
function onlySaying(health: Health): Drain {
  let isDraining = false;
  return {
    get isDraining() {
      return isDraining;
    },
    start: async () => {
      isDraining = true;
      health.drain();
    },
    hurry: () => {},
  };
}
