import { HttpException, type CanActivate, type ExecutionContext } from '@nestjs/common';
import type { Request as ExpressRequest, Response as ExpressResponse } from 'express';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { IncomingMessage } from 'node:http';
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
type PlatformResponse = ExpressResponse | FastifyReply;

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
    if (outcome.status >= 400) throw exceptionOf(outcome, facts);
    send(context, outcome);
    // It is answered: nobody waits for this, and no handler must run.
    return new Promise(() => {});
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

/** On either platform, past what the route would make of it. */
function send(context: ExecutionContext, { status, headers, body }: RefusedOutcome): void {
  const response = context.switchToHttp().getResponse<PlatformResponse>();
  const bytes = Buffer.from(body as string);
  if ('raw' in response) response.code(status).headers(headers).send(bytes);
  else response.status(status).set(headers).end(bytes);
}

function exceptionOf(
  { status, headers, body }: RefusedOutcome,
  facts: Facts<ExecutionContext> | undefined,
): HttpException {
  const response = facts?.response;
  if (response && !response.isSent) {
    for (const name in headers) response.setHeader(name, headers[name] as string);
  }
  const isJson = headers['Content-Type']?.includes('json') === true;
  const text = String(body);
  return new HttpException(isJson ? (JSON.parse(text) as object) : text, status);
}

function factsOf(context: ExecutionContext): Facts<ExecutionContext> {
  const http = context.switchToHttp();
  const request = http.getRequest<PlatformRequest>();
  const response = http.getResponse<PlatformResponse>();
  const raw: IncomingMessage = 'raw' in request ? request.raw : request;
  const node = nodeResponse('raw' in response ? response.raw : response);
  return {
    native: context,
    identity: request,
    method: request.method,
    url: () => request.originalUrl,
    body: () => request.body as unknown,
    header: (name) => nodeHeader(raw, name),
    route: () => routeOf(request),
    peer: () => raw.socket.remoteAddress,
    frameworkAddress: () => request.ip,
    rules: () => rulesOf(context),
    response: {
      capture: node.capture,
      onEnd: node.onEnd,
      get isSent() {
        return node.isSent;
      },
      // Fastify keeps headers of its own until it sends them.
      setHeader:
        'raw' in response ? (name, value) => void response.header(name, value) : node.setHeader,
    },
  };
}

function routeOf(request: PlatformRequest): string | null {
  if ('raw' in request) return request.is404 ? null : (request.routeOptions.url ?? null);
  return templateOf(request);
}
