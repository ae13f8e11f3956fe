// The proxy as a program. It has no way to stop but to be killed: a start after `kill -9` is the
// only kind there is, so it is the kind that works.

import { Completions } from './completions.ts';
import { sendJson, serve } from './http.ts';
import { Journal } from './journal.ts';
import { ModelClient } from './model-client.ts';
import { untilDone } from './retry.ts';
import { setting } from './settings.ts';
import { settleWhatIsOwed } from './settlement.ts';
import { Sluice } from './sluice.ts';

const parts = {
  sluice: new Sluice(setting('SERVICE_URL', 'http://127.0.0.1:8080'), setting('SERVICE_KEY')),
  model: new ModelClient(setting('MODEL_URL')),
  journal: await Journal.open(setting('JOURNAL_PATH')),
};
const completions = new Completions(parts, Number(setting('HOLD_MS', '30000')));

// A wrong address or key must not look like a service that forgot our reservations.
await untilDone('asking Sluice', () => parts.sluice.peek('nobody'));

// Before anybody is served: a client that asks again then finds its answer settled.
await settleWhatIsOwed(parts);

await serve('The proxy', Number(setting('PORT', '0')), async (request, response) => {
  if (request.method === 'POST' && request.url === '/v1/completions') {
    await completions.answer(request, response);
  } else {
    sendJson(response, 404, { error: { message: 'POST /v1/completions is all there is' } });
  }
});
