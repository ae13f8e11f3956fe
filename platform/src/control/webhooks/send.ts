import { request as requestHttp, type IncomingMessage, type RequestOptions } from 'node:http';
import { request as requestHttps } from 'node:https';
import { isIP } from 'node:net';
import { isPublicAddress, lookupPublic, NotPublicError } from './public-address.ts';
import { hostOf } from './webhook.ts';

export type Message = {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
};

export type SendOptions = {
  readonly timeoutMs: number;
  /** Speaks http and calls addresses that are not public. */
  readonly allowPrivate: boolean;
};

const answerBytesMax = 65_536;

/**
 * Posts and returns the status. A redirect is an answer like any other: where it leads, nobody has
 * checked. What the answer says beyond its status is let go of, and not waited for without end.
 */
export async function send(message: Message, options: SendOptions): Promise<number> {
  const url = new URL(message.url);
  requireAllowed(url, options);
  const request = url.protocol === 'https:' ? requestHttps : requestHttp;
  const requestOptions: RequestOptions = {
    method: 'POST',
    // A connection of its own, which ends with it.
    agent: false,
    headers: { ...message.headers, 'content-length': Buffer.byteLength(message.body) },
    signal: AbortSignal.timeout(options.timeoutMs),
    ...(options.allowPrivate ? {} : { lookup: lookupPublic }),
  };
  return new Promise((resolve, reject) => {
    let status: number | null = null;
    const end = (error: unknown) => (status === null ? reject(error) : resolve(status));
    const sent = request(url, requestOptions, (answer) => {
      status = answer.statusCode ?? 0;
      letGo(answer, end);
    });
    // Cut short, by us or by the time that is up, an answer has still said its status.
    sent.on('error', end);
    sent.end(message.body);
  });
}

/** A host that is an address already is not looked up, and so must be looked at here. */
function requireAllowed({ protocol, hostname }: URL, { allowPrivate }: SendOptions): void {
  if (allowPrivate) return;
  const host = hostOf(hostname);
  if (protocol !== 'https:') throw new Error('the address is not https');
  if (isIP(host) !== 0 && !isPublicAddress(host)) throw new NotPublicError();
}

function letGo(answer: IncomingMessage, end: (error: unknown) => void): void {
  let bytes = 0;
  answer.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > answerBytesMax) answer.destroy();
  });
  answer.on('error', end);
  answer.on('close', end);
}
