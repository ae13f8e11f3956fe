import type { FastifyReply, FastifyRequest } from 'fastify';
import { captureNode, nodeHeader, onNodeEnd, Visit } from '../core/index.ts';
import type { Answered, Facts, ResponseEnd, ResponseFacts, RouteRules } from '../core/index.ts';

/** One object for each request: it is its own response. */
export class FastifyFacts implements Facts<FastifyRequest>, ResponseFacts {
  // Declared and not defined: a definition would write each field twice.
  declare readonly native: FastifyRequest;
  declare readonly reply: FastifyReply;

  constructor(request: FastifyRequest, reply: FastifyReply) {
    this.native = request;
    this.reply = reply;
  }

  get identity(): FastifyRequest {
    return this.native;
  }

  get method(): string {
    return this.native.method;
  }

  get response(): ResponseFacts {
    return this;
  }

  url(): string {
    return this.native.originalUrl;
  }

  body(): unknown {
    return this.native.body;
  }

  header(name: string): string | undefined {
    return nodeHeader(this.native.raw, name);
  }

  route(): string | null {
    return this.native.is404 ? null : (this.native.routeOptions.url ?? null);
  }

  peer(): string | undefined {
    return this.native.socket.remoteAddress;
  }

  frameworkAddress(): string {
    return this.native.ip;
  }

  rules(): RouteRules<FastifyRequest> | false | undefined {
    return this.native.routeOptions.config.rateLimit;
  }

  capture(bytesMax: number): Promise<Answered | null> {
    return captureNode(this.reply.raw, bytesMax);
  }

  get isSent(): boolean {
    return this.reply.sent;
  }

  setHeader(name: string, value: string): void {
    void this.reply.header(name, value);
  }

  onEnd(listener: (end: ResponseEnd) => void): void {
    onNodeEnd(this.reply.raw, listener);
  }
}

/** Of a request that passed the middleware. */
export function replyOf(request: FastifyRequest): FastifyReply {
  const { facts } = Visit.of<FastifyRequest>(request) as Visit<FastifyRequest>;
  return (facts as FastifyFacts).reply;
}
