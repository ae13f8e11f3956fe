// oxlint-disable typescript/no-extraneous-class -- Nest knows controllers and modules as classes.
// oxlint-disable-next-line import/no-unassigned-import -- Nest's own decorators need it.
import 'reflect-metadata';
import { Controller, Get, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { ExpressAdapter } from '@nestjs/platform-express';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import express from 'express';
import Fastify from 'fastify';
import { createServer } from 'node:http';
import { describe, expect, it } from 'vitest';
import { fixedWindow } from 'sluice';
import { rateLimit as forExpress } from 'sluice/express';
import { rateLimit as forFastify } from 'sluice/fastify';
import { RateLimit, RateLimitModule, SkipRateLimit } from 'sluice/nest';
import { served } from './frameworks/routes.ts';

const limits = [fixedWindow({ name: 'all', limit: 2, window: '1 h' })];
const searches = [fixedWindow({ name: 'search', limit: 1, window: '1 h' })];

async function statusesOf(url: string, path: string, count = 3): Promise<number[]> {
  const seen: number[] = [];
  for (let call = 0; call < count; call += 1) seen.push((await fetch(`${url}${path}`)).status);
  return seen;
}

describe('fastify: a route says by its own configuration', () => {
  it('which limits it has besides, what it costs, whether it is limited', async () => {
    const app = Fastify({ forceCloseConnections: true });
    await app.register(forFastify, { limits });
    app.get('/plain', () => 'ok');
    app.get('/search', { config: { rateLimit: { limits: searches } } }, () => 'ok');
    app.get('/dear', { config: { rateLimit: { cost: 2 } } }, () => 'ok');
    app.get('/free', { config: { rateLimit: false } }, () => 'ok');
    const url = await app.listen({ port: 0, host: '127.0.0.1' });
    expect(await statusesOf(url, '/plain')).toEqual([200, 200, 429]);
    expect(await statusesOf(url, '/search')).toEqual([200, 429, 429]);
    expect(await statusesOf(url, '/dear')).toEqual([200, 429, 429]);
    expect(await statusesOf(url, '/free')).toEqual([200, 200, 200]);
    await app.close();
  });
});

describe('express: a route has its own middleware', () => {
  it('which counts by the template that it stands in, under its mount', async () => {
    const app = express();
    const router = express.Router();
    const limited = forExpress({ limits });
    router.get(
      '/:id',
      limited,
      (req, res) => void res.send(req.rateLimit?.decision.limits[0]?.name),
    );
    router.get('/:id/more', limited, (_req, res) => void res.send('ok'));
    app.use('/orders', router);
    const { url, close } = await served(createServer(app));
    expect(await (await fetch(`${url}/orders/1`)).text()).toBe('all');
    expect(await statusesOf(url, '/orders/2', 2)).toEqual([200, 429]);
    expect(await statusesOf(url, '/orders/2/more', 1)).toEqual([200]);
    await close();
  });
});

describe.each([
  ['express', () => new ExpressAdapter()],
  ['fastify', () => new FastifyAdapter({ forceCloseConnections: true })],
] as const)('nest on %s: decorators say', (_name, adapter) => {
  it('which limits a route has besides, what it costs, whether it is limited', async () => {
    const app = await NestFactory.create(rootModule(), adapter() as ExpressAdapter, {
      logger: false,
      forceCloseConnections: true,
    });
    app.setGlobalPrefix('v1');
    await app.listen(0, '127.0.0.1');
    const url = `${await app.getUrl()}/v1`;
    expect(await statusesOf(url, '/plain/7')).toEqual([200, 200, 429]);
    expect(await statusesOf(url, '/search')).toEqual([200, 429, 429]);
    expect(await statusesOf(url, '/dear')).toEqual([200, 429, 429]);
    expect(await statusesOf(url, '/free')).toEqual([200, 200, 200]);
    await app.close();
  });
});

/** Decorators by hand: the tests are run without a compiler that knows them. */
function rootModule() {
  class Routes {}
  const routes: Record<string, readonly [string, ...MethodDecorator[]]> = {
    plain: ['plain/:id'],
    search: ['search', RateLimit({ limits: searches })],
    dear: ['dear', RateLimit({ cost: 2 })],
    free: ['free', SkipRateLimit()],
  };
  for (const [name, [path, ...decorators]] of Object.entries(routes)) {
    Object.defineProperty(Routes.prototype, name, { value: () => 'ok', writable: true });
    const descriptor = Object.getOwnPropertyDescriptor(Routes.prototype, name) ?? {};
    for (const decorate of [Get(path), ...decorators]) decorate(Routes.prototype, name, descriptor);
  }
  Controller()(Routes);
  class Root {}
  Module({ imports: [RateLimitModule.forRoot({ limits })], controllers: [Routes] })(Root);
  return Root;
}
