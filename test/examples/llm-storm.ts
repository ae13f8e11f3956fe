import { type Call, complete, type Got } from './llm-client.ts';
import type { LlmRig } from './llm-rig.ts';

const streams = 40;
const users = 8;
const kills = 2;
/** As many have come, newly made, when the proxy is killed: then most of the streams are open. */
const tokensBetweenKills = 250;

/**
 * Forty streams at once. Every fifth client hangs up early. When the proxy is killed, half of the
 * others ask again under the same id and half under another, as people do.
 */
export async function storm(rig: LlmRig) {
  const leftBehind: number[] = [];
  let hungUp = 0;
  let tokens = 0;
  let isReplaced = false;
  let replaced: Promise<void> = Promise.resolve();

  const replace = async () => {
    isReplaced = true;
    await rig.replaceProxy();
    leftBehind.push(Number(/left behind: (\d+)/.exec(rig.said)?.[1] ?? 0));
    isReplaced = false;
  };
  const count = () => {
    // What a dead proxy had still sent must not kill the next one before it serves.
    if (isReplaced) return;
    tokens += 1;
    if (tokens % tokensBetweenKills !== 0 || tokens > kills * tokensBetweenKills) return;
    replaced = replace();
  };
  const ask = async (at: number) => {
    const hangUpAt = at % 5 === 0 ? 3 + (at % 4) : Infinity;
    let call = callOf(at, 0, (got, replayed) => {
      if (!replayed) count();
      return got === hangUpAt;
    });
    for (let attempt = 1; ; attempt += 1) {
      const got = await tried(complete(await rig.proxyUrl, call));
      if (got?.done) return;
      if ((got?.tokens.length ?? 0) >= hangUpAt) hungUp += 1;
      if ((got?.tokens.length ?? 0) >= hangUpAt) return;
      if (got && got.status !== 200 && got.status !== 409) throw new Error(JSON.stringify(got));
      const isRunOut = got?.status === 409;
      if (at % 2 === 0 || isRunOut) call = callOf(at, attempt, call.onToken);
    }
  };
  await Promise.all(Array.from({ length: streams }, (_, at) => ask(at)));
  await replaced;
  return { leftBehind, hungUp };
}

function callOf(at: number, attempt: number, onToken: Call['onToken']): Call {
  return {
    user: `user-${at % users}`,
    requestId: `storm-${at}-${attempt}`,
    prompt: Array.from({ length: 1 + (at % 6) }, (_, word) => `w${at}${word}`).join(' '),
    maxTokens: 40 + ((at * 7) % 40),
    ...(onToken && { onToken }),
  };
}

/** Null where there was nobody to talk to, or it died before it said a word. */
async function tried(asked: Promise<Got>): Promise<Got | null> {
  try {
    return await asked;
  } catch {
    return null;
  }
}
