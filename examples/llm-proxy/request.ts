import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { readFields } from './http.ts';
import { countTokens } from './tokens.ts';

export type Completion = {
  /** Who asks. A real proxy knows it from its own login; ours believes a header. */
  readonly user: string;
  /** The client's own name for this call, so that it can ask again without paying again. */
  readonly requestId: string;
  readonly prompt: string;
  readonly promptTokens: number;
  readonly maxTokens: number;
};

const maxTokensMax = 4096;

/** What is asked for, or what is wrong with it. */
export async function readCompletion(request: IncomingMessage): Promise<Completion | string> {
  const { prompt, max_tokens: maxTokens } = await readFields(request);
  const user = request.headers['x-user'];
  const requestId = request.headers['x-request-id'] ?? randomUUID();
  if (typeof user !== 'string' || user === '') return 'x-user must say who asks';
  if (typeof requestId !== 'string' || !/^[\w.-]{8,128}$/.test(requestId)) {
    return 'x-request-id must be 8 to 128 letters, digits, "-", "_" or "."';
  }
  if (typeof prompt !== 'string' || prompt === '') return 'prompt must be a text';
  if (!Number.isInteger(maxTokens) || Number(maxTokens) < 1 || Number(maxTokens) > maxTokensMax) {
    return `max_tokens must be 1 to ${maxTokensMax}`;
  }
  const promptTokens = countTokens(prompt);
  return { user, requestId, prompt, promptTokens, maxTokens: Number(maxTokens) };
}
