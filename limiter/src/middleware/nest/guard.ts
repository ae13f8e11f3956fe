import { HttpException, type CanActivate, type ExecutionContext } from '@nestjs/common';
import type { Request as ExpressRequest } from 'express';
import type { FastifyRequest } from 'fastify';
import type { IncomingMessage, ServerResponse } from 'node:http';
import {
  Guard,
  limitWith,
  nodeHeader,
  nodeResponse,
  resultOf,
  Visit,
  type Facts,
  type LimitCall,
  type LimitResult,
  type Outcome,
  type RateLimitOptions,
  type RefusedOutcome,
} from '../core/index.ts';
import { templateOf } from '../express/template.ts';
import { rulesOf } from './decorators.ts';

export type NestRateLimitOptions = RateLimitOptions<ExecutionContext> & {
  /** For every route. Default true; else `@UseGuards(RateLimitGuard)`, after those that authenticate. */
  readonly global?: boolean;
};

/** Express' request or Fastify's, whichever Nest runs on. */
type PlatformRequest = ExpressRequest | FastifyRequest;

/** Decides before a handler runs. A refusal is an `HttpException`, so that filters see it. */
export class RateLimitGuard implements CanActivate {
  readonly #guard: Guard<ExecutionContext>;

  constructor(options: NestRateLimitOptions) {
    this.#guard = new Guard<ExecutionContext>(options, { more: ['global'] });
  }

  async canActivate(context: ExecutionContext): Promise<boolean> {
    // Messages and sockets have no response to speak by.
    if (context.getType() !== 'http') return true;
    const facts = factsOf(context);
    const outcome = await this.#guard.run(facts);
    if (outcome.kind === 'pass') return true;
    if (outcome.kind === 'gone') throw new HttpException('the caller went away', 499);
    throw exceptionOf(outcome, facts);
  }

  /** A request that no route answers, which guards never see. */
  async runUnmatched(context: ExecutionContext): Promise<Outcome> {
    return this.#guard.run({ ...factsOf(context), route: () => null });
  }
}

/** A further question, once the handler knows more: `limit(request, { costs: { elements } })`. */
export async function limit(
  request: object,
  call: LimitCall<ExecutionContext>,
): Promise<LimitResult<never>> {
  const facts = Visit.of<ExecutionContext>(request)?.facts;
  return resultOf(await limitWith(request, call), (outcome) => {
    throw exceptionOf(outcome, facts);
  });
}

function exceptionOf(
  { status, headers, body }: RefusedOutcome,
  facts: Facts<ExecutionContext> | undefined,
): HttpException {
  facts?.response.setHeaders(headers);
  const isJson = headers['Content-Type']?.includes('json') === true;
  return new HttpException(isJson ? (JSON.parse(body) as object) : body, status);
}

function factsOf(context: ExecutionContext): Facts<ExecutionContext> {
  const http = context.switchToHttp();
  const request = http.getRequest<PlatformRequest>();
  const response = http.getResponse<{ raw?: ServerResponse; headers?: unknown } & ServerResponse>();
  const raw: IncomingMessage = 'raw' in request ? request.raw : request;
  const node = nodeResponse(response.raw ?? response);
  const reply = response as unknown as { headers(fields: object): void };
  return {
    native: context,
    identity: request,
    method: request.method,
    header: (name) => nodeHeader(raw, name),
    route: () => routeOf(request),
    peer: () => raw.socket.remoteAddress,
    frameworkAddress: () => request.ip,
    rules: () => rulesOf(context),
    response: {
      onEnd: (listener) => node.onEnd(listener),
      // Fastify keeps headers of its own until it sends them.
      setHeaders: (headers) => (response.raw ? reply.headers(headers) : node.setHeaders(headers)),
    },
  };
}

function routeOf(request: PlatformRequest): string | null {
  if ('raw' in request) return request.is404 ? null : (request.routeOptions.url ?? null);
  return templateOf(request);
}
