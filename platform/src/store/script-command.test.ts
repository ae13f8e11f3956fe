import fc from 'fast-check';
import { Command } from 'ioredis';
import { expect, it } from 'vitest';
import { ScriptCommand } from './script-command.ts';

it('is written as ioredis writes it, whatever its arguments say', () => {
  const key = fc.stringMatching(/^sl1:\{[\w-]{16}\}\d{0,2}:[\w-]{0,140}$/);
  const arg = fc.oneof(fc.string(), fc.string({ unit: 'grapheme', maxLength: 300 }));
  const name = fc.constantFrom('evalsha' as const, 'eval' as const);
  fc.assert(
    fc.property(name, arg, fc.array(key), fc.array(arg), (called, script, keys, args) => {
      const ours = new ScriptCommand(called, script, keys, args);
      const theirs = new Command(called, [script, keys.length, ...keys, ...args]);
      // What nobody waits for here must not be taken for a failure.
      for (const command of [ours, theirs]) (command.promise as Promise<unknown>).catch(() => {});
      expect(ours.toWritable()).toBe(theirs.toWritable({}));
    }),
  );
});
