import Fastify, { type FastifyReply, type FastifyRequest } from 'fastify';
import { limit, rateLimit, type FastifyRateLimitOptions } from 'sluice/fastify';
import type { Call, Framework, Handler } from '../rig.ts';
import { optionsOf, plain, routesOf } from './routes.ts';

type WithUser = FastifyRequest & { user?: string };

export const fastify: Framework = {
  name: 'fastify',
  async serve(spec) {
    const app = Fastify({ forceCloseConnections: true });
    app.addHook('onRequest', async (request: WithUser) => {
      const user = request.headers['x-user'];
      if (typeof user === 'string') request.user = user;
    });
    const read = {
      header: (request: FastifyRequest, name: string) =>
        request.headers[name] as string | undefined,
      user: (request: WithUser) => request.user,
    };
    for (const options of optionsOf(spec, read)) {
      await app.register(rateLimit, options as unknown as FastifyRateLimitOptions);
    }
    for (const { method, path, handler } of routesOf(spec)) {
      app.route({
        method: method.toUpperCase(),
        url: path,
        handler: (request, reply) => answer(handler, request, reply),
      });
    }
    app.setErrorHandler((error: Error, _request, reply) => reply.code(500).send(error.message));
    await app.listen({ port: 0, host: '127.0.0.1' });
    const { port } = app.server.address() as { port: number };
    return { url: `http://127.0.0.1:${port}`, close: () => app.close() };
  },
};

async function answer(handler: Handler, request: FastifyRequest, reply: FastifyReply) {
  const call: Call = {
    rateLimit: () => request.rateLimit ?? undefined,
    header: (name) => request.headers[name] as string | undefined,
    limit: async (asked) => {
      const result = await limit(request, asked as Parameters<typeof limit>[1]);
      return result.allowed ? result : { ...result, refuse: () => ({ native: result.refuse }) };
    },
  };
  const said = await handler(call);
  if (said.native) return (said.native as () => FastifyReply)();
  const { status, body, headers } = { ...plain, ...said };
  return reply.code(status).headers(headers).send(body);
}
