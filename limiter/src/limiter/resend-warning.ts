import type { IoredisLike } from '../engines/redis/index.ts';

let warned = false;

type Options = { readonly autoResendUnfulfilledCommands?: boolean };

/**
 * We never send a call again whose answer was lost, but by default ioredis does: such a check is
 * then charged twice. The client is the caller's, so we say it, once, and change nothing.
 */
export function warnOfResending(client: IoredisLike): void {
  if (warned || !resends(client)) return;
  warned = true;
  process.emitWarning(
    'This ioredis client sends commands again whose reply was lost, so that a check may be charged ' +
      'twice. Create it with autoResendUnfulfilledCommands: false (in redisOptions for a Cluster).',
    { type: 'SluiceWarning', code: 'SLUICE_RESENDS' },
  );
}

function resends(client: IoredisLike): boolean {
  const { options } = client as { options?: Options & { redisOptions?: Options } };
  if (options === undefined) return false;
  const settings = 'redisOptions' in options ? options.redisOptions : options;
  return settings?.autoResendUnfulfilledCommands !== false;
}
