import type { FastifyReply, FastifyRequest } from 'fastify';
import { defaultHeaders } from './default-headers.ts';
import type { HttpServer } from './server.ts';

declare module 'fastify' {
  interface FastifyInstance {
    /** Whether an answer has header fields that its route knows nothing of. */
    readonly addsHeaders: boolean;
  }
}

/** What a route has said stays; what every answer has besides comes last. */
export function completeAnswers(app: HttpServer, { addsHeaders }: { addsHeaders: boolean }): void {
  app.decorate('addsHeaders', addsHeaders);
  app.addHook('onSend', (request, reply, _payload, done) => {
    const own = headersOfAll(request);
    for (const name in own) if (!reply.hasHeader(name)) reply.header(name, own[name]);
    done();
  });
}

/** On every answer to this request. */
export function headersOfAll({ id, server }: FastifyRequest): Record<string, string> {
  // Spelled out: to copy them one by one would take several times as long.
  const headers: Record<string, string> = {
    'cache-control': defaultHeaders['cache-control'],
    'content-security-policy': defaultHeaders['content-security-policy'],
    'referrer-policy': defaultHeaders['referrer-policy'],
    'x-content-type-options': defaultHeaders['x-content-type-options'],
    'x-request-id': id,
  };
  if (server.drainState.isDraining) headers['connection'] = 'close';
  return headers;
}

/**
 * Sends what is ready to be sent, past all that the framework does for answers of any kind: for the
 * many small ones that takes longer than to decide them. The text is ASCII, so that nobody has to look
 * how many bytes it has.
 */
export function answerAtOnce(
  request: FastifyRequest,
  reply: FastifyReply,
  { status, headers, text }: ReadyAnswer,
): void {
  if (request.server.addsHeaders) Object.assign(headers, reply.getHeaders());
  headers['content-length'] = String(text.length);
  // What Node does not take is an error like any other, as long as the framework may still answer.
  reply.raw.writeHead(status, headers);
  reply.hijack();
  reply.raw.end(text, 'latin1');
}

export type ReadyAnswer = {
  readonly status: number;
  /** Those of all answers to the request among them; names in lower case. */
  readonly headers: Record<string, string>;
  readonly text: string;
};
