// The show: five calls through the proxy, one of them killed in the middle, and books that agree.

import { complete } from './client.ts';
import { setting } from './settings.ts';
import { Stage } from './stage.ts';

const user = 'ann';
const allowances = { perMonth: 4000, perUserAndDay: 300 };
const serviceUrl = setting('SERVICE_URL', 'http://127.0.0.1:8080');
const stage = await Stage.build(serviceUrl, setting('SLUICE_ADMIN_TOKEN'), allowances);
await stage.startProxy(printProxy);

const { perMonth, perUserAndDay } = allowances;
title(`A plan: ${perMonth} tokens a month for all together, ${perUserAndDay} a day for each user`);
await printLeft();

title('1. A completion: the most it can take is reserved, what it took is settled');
await ask('completion-1', 60);
await printLeft();

title('2. The client hangs up: the model stops, what it produced is settled');
await ask('completion-2', 60, { hangUpAt: 8 });
await stage.said('completion-2: settled');
await printLeft();

title('3. kill -9 in the middle: nobody settles, so all that was reserved is held');
await ask('completion-3', 60, { killAt: 12 });
await printLeft();
title('   The next process reads the journal, asks the model and settles');
await stage.startProxy(printProxy);
await printLeft();

title('4. The first request once more: the same answer, not charged again');
await ask('completion-1', 60);
await printLeft();

title('5. More than the user has left today: a refusal that says when to come back');
await ask('completion-5', 280);

const [{ used }, billed] = [await stage.tokens(user), await stage.billed()];
title(used === billed ? 'The books agree' : 'THE BOOKS DO NOT AGREE');
print('', `the model bills ${billed} tokens, Sluice counted ${used}`);
process.exitCode = used === billed ? 0 : 1;
await stage.tearDown();

async function ask(
  requestId: string,
  maxTokens: number,
  { hangUpAt, killAt }: { readonly hangUpAt?: number; readonly killAt?: number } = {},
): Promise<void> {
  const { status, headers, tokens, done, message } = await complete(stage.proxyUrl, {
    user,
    requestId,
    prompt: 'Where does all the rain go?',
    maxTokens,
    onToken: (count) => {
      if (count === killAt) void stage.killProxy();
      return count === hangUpAt;
    },
  });
  if (status !== 200) {
    print('client', `${status}, Retry-After: ${headers.get('retry-after')}: ${message}`);
  } else {
    const how = done ? '' : killAt === undefined ? ', hung up' : ', broken off';
    print('client', `${tokens.length} tokens${how}: ${tokens.slice(0, 8).join(' ')} …`);
  }
}

async function printLeft(): Promise<void> {
  const { used, remaining, limit } = await stage.tokens(user);
  print('quota', `${used} used or held, ${remaining} of ${limit} left`);
}

function printProxy(line: string): void {
  print('proxy', line);
}

function title(text: string): void {
  process.stdout.write(`\n${text}\n`);
}

function print(who: string, text: string): void {
  process.stdout.write(`  ${who.padEnd(8)}${text}\n`);
}
