import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ResponseEnd, ResponseFacts } from './facts.ts';
import { captureNode } from './node-capture.ts';

/** What adapters on Node's own server share. */
export function nodeResponse(response: ServerResponse): ResponseFacts {
  return {
    capture: (bytesMax) => captureNode(response, bytesMax),
    get isSent() {
      return response.headersSent;
    },
    setHeader: (name, value) => void response.setHeader(name, value),
    onEnd: (listener) => onNodeEnd(response, listener),
  };
}

/** Comes after the last byte, and when the caller went away: one event for both. */
export function onNodeEnd(response: ServerResponse, listener: (end: ResponseEnd) => void): void {
  const end = () => listener({ status: response.statusCode, completed: response.writableFinished });
  if (response.destroyed || response.closed) end();
  else response.once('close', end);
}

export function nodeHeader({ headers }: IncomingMessage, name: string): string | undefined {
  const value = headers[name];
  return Array.isArray(value) ? value.join(', ') : value;
}
