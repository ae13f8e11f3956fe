import { STATUS_CODES, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { defaultHeaders } from './default-headers.ts';
import { Problem } from './problem.ts';

const broken = new WeakSet<Socket>();

/** What was sent behind a broken request is not a request, however much it looks like one. */
export function isBroken(socket: Socket): boolean {
  return broken.has(socket);
}

/** The answer under way is the last on this connection. */
export function markBroken(socket: Socket): void {
  broken.add(socket);
}

/**
 * What never became a request: it is answered as far as that is possible and the connection ends,
 * since nobody can tell any more where the next request would begin.
 */
export function endBrokenConnection(
  error: Error & { readonly code?: string },
  socket: Socket,
): void {
  // More of the same may come while an answer is on its way.
  if (isBroken(socket)) return;
  markBroken(socket);
  if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy();
  const earlier = answerUnderWay(socket);
  if (earlier) return void earlier.once('close', () => socket.destroy());
  socket.end(toHttp(toProblem(error.code)), () => socket.destroy());
}

/** To a request that was whole: ours must not be taken for its answer. */
function answerUnderWay(socket: Socket): ServerResponse | null {
  const { _httpMessage: answer } = socket as Socket & { _httpMessage?: ServerResponse | null };
  if (!answer || answer.writableFinished) return null;
  return answer.req.complete || answer.headersSent ? answer : null;
}

function toProblem(code = ''): Problem {
  switch (code) {
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return new Problem('request_timeout', 'The request did not arrive in time.');
    case 'HPE_HEADER_OVERFLOW':
      return new Problem('headers_too_large', 'Send fewer or shorter headers.');
    default:
      return new Problem('invalid_request', 'This is not well-formed HTTP.');
  }
}

function toHttp(problem: Problem): string {
  const body = JSON.stringify(problem.body());
  const headers = {
    ...defaultHeaders,
    connection: 'close',
    'content-length': String(Buffer.byteLength(body)),
    'content-type': 'application/problem+json',
  };
  return [
    `HTTP/1.1 ${problem.status} ${STATUS_CODES[problem.status] ?? ''}`,
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    '',
    body,
  ].join('\r\n');
}
