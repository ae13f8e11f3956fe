import { once } from 'node:events';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { Type } from 'typebox';
import { onTestFinished } from 'vitest';
import {
  createServer,
  type HttpServer,
  type ServerOptions,
} from '../../../platform/src/doors/http/server.ts';
import { systemRoutes, type SystemOptions } from '../../../platform/src/doors/http/system.ts';

export type Rig = { readonly app: HttpServer; readonly port: number; readonly url: string };

/** A server on a port of its own until the test ends: its shell, the system's routes and an echo. */
export async function startServer(
  options: Partial<ServerOptions> = {},
  addRoutes: (app: HttpServer) => void = () => undefined,
  system: Partial<SystemOptions> = {},
): Promise<Rig> {
  const app = await createServer({ version: '1.2.3', ...options });
  await app.register(systemRoutes, {
    version: '1.2.3',
    basePath: options.basePath ?? '',
    isStarted: () => true,
    dependencies: { database: () => 'embedded', store: () => 'memory' },
    findings: () => [],
    metrics: async () => ({ contentType: 'text/plain; version=0.0.4', text: 'up 1\n' }),
    ...system,
  });
  addEcho(app);
  addRoutes(app);
  await app.listen({ host: '127.0.0.1', port: 0 });
  onTestFinished(async () => {
    app.server.closeAllConnections();
    await app.close();
  });
  const { port } = app.server.address() as AddressInfo;
  return { app, port, url: `http://127.0.0.1:${port}${options.basePath ?? ''}` };
}

function addEcho(app: HttpServer): void {
  app.post(
    '/v1/echo',
    {
      bodyLimit: 1024,
      schema: {
        querystring: Type.Object(
          { limit: Type.Optional(Type.Integer({ minimum: 1 })) },
          { additionalProperties: false },
        ),
        body: Type.Object(
          {
            resource: Type.String({ minLength: 1 }),
            cost: Type.Optional(Type.Integer()),
            items: Type.Optional(
              Type.Array(Type.Object({ name: Type.String() }, { additionalProperties: false })),
            ),
          },
          { additionalProperties: false },
        ),
      },
    },
    async ({ body, query }) => ({ body, query }),
  );
}

export function postJson(url: string, body: unknown, headers: Record<string, string> = {}) {
  return fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
}

/** A connection on which bytes are what the test says they are. */
export class RawConnection {
  received = '';
  readonly #socket: Socket;
  readonly ended: Promise<void>;

  private constructor(socket: Socket) {
    this.#socket = socket;
    socket.setEncoding('latin1').on('data', (text: string) => (this.received += text));
    // A reset is an end like any other here.
    socket.on('error', () => undefined);
    this.ended = once(socket, 'close').then(() => undefined);
  }

  static async open(port: number): Promise<RawConnection> {
    const socket = connect({ host: '127.0.0.1', port, noDelay: true });
    await once(socket, 'connect');
    const connection = new RawConnection(socket);
    onTestFinished(() => void socket.destroy());
    return connection;
  }

  write(bytes: string): void {
    this.#socket.write(bytes, 'latin1');
  }

  /** Ends it the rude way. */
  reset(): void {
    this.#socket.resetAndDestroy();
  }

  get statuses(): readonly number[] {
    return [...this.received.matchAll(/HTTP\/1\.1 (\d{3})/g)].map(([, status]) => Number(status));
  }

  /** Until this many answers began, or the connection ended. */
  async untilAnswers(count: number): Promise<void> {
    while (this.statuses.length < count && !this.#socket.destroyed) {
      await Promise.race([once(this.#socket, 'data').catch(() => undefined), this.ended]);
    }
  }
}

/** What is answered to these bytes until the server ends the connection. */
export async function sendRaw(port: number, bytes: string): Promise<RawConnection> {
  const connection = await RawConnection.open(port);
  connection.write(bytes);
  await connection.ended;
  return connection;
}
