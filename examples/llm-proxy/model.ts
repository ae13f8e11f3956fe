// A stand-in for a model that somebody else runs, and bills by the token: what stands in its books
// is the truth, whatever reached whom. It takes a word for a token and stops when nobody listens.
//
//   POST /generations            {"id","prompt","max_tokens"} → tokens as server-sent events
//   POST /generations/<id>/stop  ends it, and says what it came to; what had not begun never will
//   GET  /generations[/<id>]     the books

import type { IncomingMessage, ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { readFields, sendJson, serve } from './http.ts';
import { setting } from './settings.ts';
import { countTokens } from './tokens.ts';

type Generation = {
  readonly id: string;
  readonly prompt_tokens: number;
  readonly tokens: string[];
  state: 'running' | 'complete' | 'stopped';
};

const tokenMs = Number(setting('TOKEN_MS', '25'));
const words = 'the water finds its level and what was held back goes on down the river'.split(' ');
const books = new Map<string, Generation>();

await serve('The model', Number(setting('PORT', '0')), async (request, response) => {
  const [, noun, id, verb] = (request.url ?? '').split('/');
  const route = `${request.method} ${noun} ${id === undefined ? '' : 'id'} ${verb ?? ''}`.trim();
  if (route === 'POST generations') await generate(request, response);
  else if (route === 'POST generations id stop') sendJson(response, 200, shown(stop(id ?? '')));
  else if (route === 'GET generations') sendJson(response, 200, [...books.values()].map(shown));
  else if (route === 'GET generations id') sendBook(response, id ?? '');
  else sendJson(response, 404, { error: 'no such route' });
});

async function generate(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { id, prompt, max_tokens: tokensMax } = await readFields(request);
  if (typeof id !== 'string' || typeof prompt !== 'string' || typeof tokensMax !== 'number') {
    return sendJson(response, 400, { error: 'id, prompt and max_tokens are needed' });
  }
  // Also when it was stopped before it began: the order in which calls arrive decides nothing.
  if (books.has(id)) return sendJson(response, 409, { error: 'there is a generation of this id' });
  const generation = begin(id, prompt);
  response.once('close', () => stop(id));
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  const length = lengthOf(prompt, tokensMax);
  while (generation.state === 'running') {
    const token = words[generation.tokens.length % words.length] ?? '';
    generation.tokens.push(token);
    response.write(`data: ${JSON.stringify({ token })}\n\n`);
    if (generation.tokens.length === length) generation.state = 'complete';
    else await sleep(tokenMs);
  }
  response.end();
}

function begin(id: string, prompt: string): Generation {
  const generation: Generation = {
    id,
    prompt_tokens: countTokens(prompt),
    tokens: [],
    state: 'running',
  };
  books.set(id, generation);
  return generation;
}

/** Safe to repeat. From its answer on, not one token is added. */
function stop(id: string): Generation {
  const generation = books.get(id) ?? begin(id, '');
  if (generation.state === 'running') generation.state = 'stopped';
  return generation;
}

/** Between half and all of what it may; the same for the same prompt. */
function lengthOf(prompt: string, tokensMax: number): number {
  let hash = 0;
  for (const character of prompt) hash = (hash * 31 + (character.codePointAt(0) ?? 0)) % 65_521;
  return Math.max(1, Math.ceil(tokensMax / 2) + (hash % (Math.floor(tokensMax / 2) + 1)));
}

function sendBook(response: ServerResponse, id: string): void {
  const generation = books.get(id);
  if (generation) sendJson(response, 200, shown(generation));
  else sendJson(response, 404, { error: 'no such generation' });
}

function shown(generation: Generation) {
  return { ...generation, completion_tokens: generation.tokens.length };
}
