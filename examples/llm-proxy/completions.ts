// One completion, from the question to the last event: reserve, note, generate, settle.

import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { sendJson } from './http.ts';
import type { Owed } from './journal.ts';
import type { Book } from './model-client.ts';
import { type Completion, readCompletion } from './request.ts';
import { reasonOf } from './retry.ts';
import { type Parts, settle } from './settlement.ts';
import { type Decision, SluiceProblem } from './sluice.ts';

export class Completions {
  readonly #parts: Parts;
  readonly #holdMs: number;
  readonly #running = new Set<string>();

  constructor(parts: Parts, holdMs: number) {
    this.#parts = parts;
    this.#holdMs = holdMs;
  }

  async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const completion = await readCompletion(request);
    if (typeof completion === 'string') return sendError(response, 400, completion);
    const { user, requestId } = completion;
    const name = `${user} ${requestId}`;
    if (this.#running.has(name)) return sendBusy(response);
    this.#running.add(name);
    try {
      response.setHeader('x-request-id', requestId);
      await this.#reserve(completion, response);
    } catch (error) {
      console.error(`${requestId}: ${reasonOf(error)}`);
      // The client's mistake is told as it is; any other is ours.
      const isTheirs = error instanceof SluiceProblem && error.code === 'idempotency_conflict';
      breakOff(response, isTheirs ? error.status : 503, reasonOf(error));
    } finally {
      this.#running.delete(name);
    }
  }

  async #reserve(completion: Completion, response: ServerResponse): Promise<void> {
    const { user, requestId, promptTokens, maxTokens } = completion;
    const tokens = promptTokens + maxTokens;
    const asked = { user, requestId, tokens, holdMs: this.#holdMs };
    const { decision, retryAfter } = await this.#parts.sluice.reserve(asked);
    if (!decision.allowed) return sendRefusal(response, decision, retryAfter);
    if (!decision.reservation) throw new Error('no limit holds this call, so nobody would pay');
    const { id } = decision.reservation;
    if (decision.replayed && (await this.#isOver(id, response))) return;
    console.log(`${requestId}: reserved ${tokens} tokens`);
    response.setHeader('x-reserved-tokens', tokens);
    await this.#generate({ reservationId: id, requestId, promptTokens }, completion, response);
  }

  /** Asked before. What was generated then is told again; it is paid for, so it is not made anew. */
  async #isOver(reservationId: string, response: ServerResponse): Promise<boolean> {
    const { model, sluice } = this.#parts;
    const book = await model.look(reservationId);
    if (book) sendAgain(response, book);
    if (book) return true;
    // Whoever reserved died before it began. Its hold still serves, unless it ran out.
    if (await sluice.heartbeat(reservationId, this.#holdMs)) return false;
    sendError(response, 409, 'what was reserved under this x-request-id ran out; use another');
    return true;
  }

  async #generate(owed: Owed, completion: Completion, response: ServerResponse): Promise<void> {
    await this.#parts.journal.begun(owed);
    const beat = setInterval(() => void this.#renew(owed), this.#holdMs / 3);
    try {
      await this.#stream(owed, completion, response);
    } finally {
      clearInterval(beat);
    }
    // The client has every token by now, and hears of the end when the books are right.
    const book = await settle(owed, this.#parts);
    if (!response.destroyed && !response.writableEnded) response.end(doneEvent(book));
  }

  async #stream(owed: Owed, completion: Completion, response: ServerResponse): Promise<void> {
    const gone = new AbortController();
    response.once('close', () => gone.abort());
    const { signal } = gone;
    if (response.destroyed) return;
    try {
      const events = await this.#parts.model.generate(owed.reservationId, completion, signal);
      response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' });
      for await (const chunk of events) {
        if (!response.write(chunk)) await once(response, 'drain', { signal });
      }
    } catch (error) {
      if (signal.aborted) return console.log(`${owed.requestId}: the client went away`);
      console.error(`${owed.requestId}: ${reasonOf(error)}`);
      breakOff(response, 502, 'the model does not answer');
    }
  }

  async #renew({ reservationId, requestId }: Owed): Promise<void> {
    try {
      const renewed = await this.#parts.sluice.heartbeat(reservationId, this.#holdMs);
      if (!renewed) console.error(`${requestId}: the hold ran out; it will be settled late`);
    } catch (error) {
      // The next one may get through; and if none does, a late settlement charges all the same.
      console.error(`${requestId}: no heartbeat: ${reasonOf(error)}`);
    }
  }
}

function sendError(response: ServerResponse, status: number, message: string): void {
  sendJson(response, status, { error: { message } });
}

/** A stream that has begun can say that something is wrong only by not ending as it should. */
function breakOff(response: ServerResponse, status: number, message: string): void {
  if (response.headersSent) response.destroy();
  else sendError(response, status, message);
}

function sendBusy(response: ServerResponse): void {
  const error = { message: 'this x-request-id is being answered' };
  sendJson(response, 409, { error }, { 'retry-after': '1' });
}

function sendRefusal(response: ServerResponse, decision: Decision, retryAfter: string | null) {
  const { message, blocked_by: by } = decision;
  const error = { message, limit: by?.limit ?? null, reason: by?.reason ?? null };
  // Without it waiting never helps: it asked for more than there ever is.
  sendJson(response, 429, { error }, retryAfter === null ? {} : { 'retry-after': retryAfter });
}

function sendAgain(response: ServerResponse, book: Book): void {
  response.writeHead(200, { 'content-type': 'text/event-stream', 'x-replayed': 'true' });
  for (const token of book.tokens) response.write(`data: ${JSON.stringify({ token })}\n\n`);
  response.end(doneEvent(book));
}

function doneEvent({ state, prompt_tokens, completion_tokens }: Book): string {
  return `event: done\ndata: ${JSON.stringify({ state, prompt_tokens, completion_tokens })}\n\n`;
}
