import type { OutgoingHttpHeader, OutgoingHttpHeaders, ServerResponse } from 'node:http';
import type { Answered } from './facts.ts';

type Chunk = string | Uint8Array;

/**
 * What is answered from here on, as soon as the handler has ended it: whether the caller stays to
 * read it or not. Node has no place to listen for that, so the three methods that write are wrapped.
 */
export function captureNode(response: ServerResponse, bytesMax: number): Promise<Answered | null> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  let written: OutgoingHttpHeaders = {};
  const keep = (chunk: unknown, encoding: unknown) => {
    if (typeof chunk !== 'string' && !(chunk instanceof Uint8Array)) return;
    const bytes = toBytes(chunk, encoding);
    size += bytes.length;
    if (size <= bytesMax) chunks.push(bytes);
  };
  return new Promise((resolve) => {
    const answered = () => ({
      status: response.statusCode,
      headers: textsOf({ ...response.getHeaders(), ...written }),
      body: Buffer.concat(chunks),
    });
    before(response, 'writeHead', (_status, reason, headers) => {
      written = headersOf(typeof reason === 'string' ? headers : reason);
    });
    before(response, 'write', keep);
    before(response, 'end', (chunk, encoding) => {
      keep(chunk, encoding);
      resolve(size > bytesMax ? null : answered());
    });
  });
}

/** Hears of each call of a method before it is made. */
function before(
  response: ServerResponse,
  name: 'writeHead' | 'write' | 'end',
  listener: (...args: unknown[]) => void,
): void {
  const original = response[name] as (...args: unknown[]) => unknown;
  const heard = (...args: unknown[]) => {
    listener(...args);
    return original.apply(response, args);
  };
  Object.assign(response, { [name]: heard });
}

function toBytes(chunk: Chunk, encoding: unknown): Uint8Array {
  if (typeof chunk !== 'string') return chunk;
  return Buffer.from(chunk, typeof encoding === 'string' ? (encoding as BufferEncoding) : 'utf8');
}

/** An object, or names and values in turn. */
function headersOf(headers: unknown): OutgoingHttpHeaders {
  if (!Array.isArray(headers)) return { ...(headers as OutgoingHttpHeaders | undefined) };
  const pairs = headers.flatMap((value: OutgoingHttpHeader, at) =>
    at % 2 === 0 ? [[String(value).toLowerCase(), headers[at + 1] as OutgoingHttpHeader]] : [],
  );
  return Object.fromEntries(pairs) as OutgoingHttpHeaders;
}

function textsOf(headers: OutgoingHttpHeaders): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, Array.isArray(value) ? value.join(', ') : String(value)]],
    ),
  );
}
