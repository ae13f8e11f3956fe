import { expect, it, vi } from 'vitest';

const commands = { evalsha: () => Promise.resolve(1), eval: () => Promise.resolve(1) };

it('warns once of a client that sends again what may have run, and of no other', async () => {
  // Fresh: another file in this process may have been warned already.
  vi.resetModules();
  const { warnOfResending } = await import('./resend-warning.ts');
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
