import { expect, it, vi } from 'vitest';
import { warnOfResending } from './resend-warning.ts';

const commands = { evalsha: () => Promise.resolve(1), eval: () => Promise.resolve(1) };

it('warns once of a client that sends again what may have run, and of no other', () => {
  const warn = vi.spyOn(process, 'emitWarning').mockImplementation(() => {});
  const safe = { autoResendUnfulfilledCommands: false };
  for (const options of [undefined, safe, { redisOptions: safe }]) {
    warnOfResending({ ...commands, options } as never);
  }
  expect(warn).not.toHaveBeenCalled();
  warnOfResending({ ...commands, options: { redisOptions: {} } } as never);
  warnOfResending({ ...commands, options: {} } as never);
  expect(warn).toHaveBeenCalledTimes(1);
  expect(warn.mock.calls[0]?.[1]).toMatchObject({ code: 'SLUICE_RESENDS' });
  warn.mockRestore();
});
