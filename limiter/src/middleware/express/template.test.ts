import express, { type Express, type Router } from 'express';
import { createRequire } from 'node:module';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { templateOf } from './template.ts';

type Made = typeof express;
const express4 = createRequire(import.meta.url)('express4') as Made;
const open: Server[] = [];

afterEach(async () => {
  await Promise.all(
    open.splice(0).map((server) => new Promise((resolve) => server.close(resolve))),
  );
});

/** What the first middleware of the application takes for the route, of each path. */
async function templates(app: Express, ...paths: readonly string[]) {
  const server = createServer(app);
  open.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const found = [];
  for (const path of paths) {
    const [method, target] = path.includes(' ') ? path.split(' ') : ['GET', path];
    const response = await fetch(`http://127.0.0.1:${port}${target}`, {
      method: method ?? 'GET',
      headers: { connection: 'close' },
    });
    await response.arrayBuffer();
    found.push(response.headers.get('x-template'));
  }
  return found;
}

describe.each([
  ['express 5', express],
  ['express 4', express4],
] as const)('in %s the template', (_name, make: Made) => {
  const done = (_req: unknown, res: express.Response) => void res.end('done');
  const telling: express.RequestHandler = (req, res, next) => {
    res.setHeader('x-template', templateOf(req) ?? 'none');
    next();
  };
  const appOf = (...build: ((app: Express) => void)[]) => {
    const app = make();
    app.use(telling);
    for (const one of build) one(app);
    return app;
  };
  const routerOf = (build: (router: Router) => void) => {
    const router = make.Router({ mergeParams: true });
    build(router);
    return router;
  };

  it('is found before Express chooses the route, of any method', async () => {
    const app = appOf((one) =>
      one.get('/orders/:id', done).post('/orders', done).all('/any', done),
    );
    expect(
      await templates(app, '/orders/7', 'POST /orders', 'DELETE /any', 'HEAD /orders/7', '/orders'),
    ).toEqual(['/orders/:id', '/orders', '/any', '/orders/:id', 'none']);
  });

  it('is found through nested routers, parameters and the case of letters', async () => {
    const inner = routerOf((router) => router.get('/items/:item', done).get('/', done));
    const outer = routerOf((router) => router.use('/shops/:shop', inner));
    const app = appOf((one) => one.use('/Api', outer));
    expect(
      await templates(
        app,
        '/api/shops/a%20b/items/1?q=1',
        '/API/shops/x/items/2/',
        '/api/shops/x',
        '/api/shops',
      ),
    ).toEqual([
      '/api/shops/:shop/items/:item',
      '/api/shops/:shop/items/:item',
      '/api/shops/:shop',
      'none',
    ]);
  });

  it('is the first that answers, as Express will have it', async () => {
    const app = appOf((one) => one.get('/a/special', done).get('/a/:id', done));
    expect(await templates(app, '/a/special', '/a/else')).toEqual(['/a/special', '/a/:id']);
  });

  it('is none for files, unknown paths and what can not be decoded', async () => {
    const app = appOf((one) => one.use('/files', done).get('/x/:id', done));
    expect(await templates(app, '/files/a.png', '/y', '/x/%E0%A4%A')).toEqual([
      'none',
      'none',
      'none',
    ]);
  });

  it('is known inside an application that is mounted in another, and its place outside', async () => {
    const inner = make();
    inner.use(telling);
    inner.get('/users/:id', done);
    const outside = appOf((one) => one.use('/admin', inner));
    expect(await templates(outside, '/admin/users/1')).toEqual(['/admin/users/:id']);
    const silent = make();
    silent.get('/users/:id', done);
    expect(
      await templates(
        appOf((one) => one.use('/admin', silent)),
        '/admin/users/1',
      ),
    ).toEqual(['/admin/*']);
  });

  it('is the same in middleware of the route, and leaves parameters as they are', async () => {
    const params: unknown[] = [];
    const app = make();
    const router = routerOf((one) => {
      one.get('/:id', telling, (req, res) => {
        params.push(req.params);
        res.end();
      });
    });
    app.use('/t/:tenant', router);
    expect(await templates(app, '/t/acme/7')).toEqual(['/t/:tenant/:id']);
    expect({ ...(params[0] as object) }).toEqual({ tenant: 'acme', id: '7' });
  });

  it('reads patterns and lists of paths as they were written', async () => {
    const app = appOf((one) => one.get(/^\/re(x+)$/, done).get(['/one', '/two'], done));
    expect(await templates(app, '/rexx', '/two')).toEqual([String(/^\/re(x+)$/), '/one|/two']);
  });
});
