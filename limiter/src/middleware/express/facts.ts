import type { Request, Response } from 'express';
import { captureNode, nodeHeader, onNodeEnd } from '../core/index.ts';
import type { Answered, Facts, ResponseEnd, ResponseFacts } from '../core/index.ts';
import { templateOf } from './template.ts';

/** One object for each request: it is its own response. */
export class ExpressFacts implements Facts<Request>, ResponseFacts {
  readonly native: Request;
  readonly #response: Response;

  constructor(request: Request, response: Response) {
    this.native = request;
    this.#response = response;
  }

  get identity(): Request {
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
    return nodeHeader(this.native, name);
  }

  route(): string | null {
    return templateOf(this.native);
  }

  peer(): string | undefined {
    return this.native.socket.remoteAddress;
  }

  frameworkAddress(): string | undefined {
    return this.native.ip;
  }

  frameworkTrustsAll(): boolean {
    return this.native.app.get('trust proxy') === true;
  }

  capture(bytesMax: number): Promise<Answered | null> {
    return captureNode(this.#response, bytesMax);
  }

  get isSent(): boolean {
    return this.#response.headersSent;
  }

  setHeader(name: string, value: string): void {
    this.#response.setHeader(name, value);
  }

  onEnd(listener: (end: ResponseEnd) => void): void {
    onNodeEnd(this.#response, listener);
  }
}
