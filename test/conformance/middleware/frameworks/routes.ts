import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { AppSpec, Handler, Options, Read, Served } from '../rig.ts';

export type Route = { readonly method: string; readonly path: string; readonly handler: Handler };

export function routesOf({ routes }: AppSpec): Route[] {
  return Object.entries(routes).map(([name, handler]) => {
    const [method = '', path = ''] = name.split(' ');
    return { method: method.toLowerCase(), path, handler };
  });
}

export function optionsOf({ limits }: AppSpec, read: Read): readonly Options[] {
  return [limits(read)].flat();
}

/** A server of Node's, on a port of its own. */
export async function served(server: Server): Promise<Served> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** What a handler returns when it says nothing else. */
export const plain = { status: 200, body: '', headers: {} } as const;
