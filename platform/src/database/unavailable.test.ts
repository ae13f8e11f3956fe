import { describe, expect, test } from 'vitest';
import { DatabaseStoppedError, isUnavailable } from './unavailable.ts';

const withCode = (code: string, message = 'words') => Object.assign(new Error(message), { code });

describe('a database that could not be asked', () => {
  test.each([
    'ECONNREFUSED',
    'ECONNRESET',
    'EPIPE',
    'ETIMEDOUT',
    'ENOTFOUND',
    'EAI_AGAIN',
    '08006',
    '53300',
    '57014',
    '57P01',
    '57P02',
    '57P03',
    '25006',
  ])('is recognised by %s', (code) => {
    expect(isUnavailable(withCode(code))).toBe(true);
  });

  test.each([
    'Connection terminated',
    'Connection terminated unexpectedly',
    'Connection terminated due to connection timeout',
    'timeout expired',
    'timeout exceeded when trying to connect',
    'Query read timeout',
    'Client has encountered a connection error and is not queryable',
    'Cannot use a pool after calling end on the pool',
  ])('is recognised by the words of the driver: %s', (words) => {
    expect(isUnavailable(new Error(words))).toBe(true);
  });

  test('is recognised when the embedded one has stopped', () => {
    expect(isUnavailable(new DatabaseStoppedError('it has stopped'))).toBe(true);
  });

  test('is recognised behind another error', () => {
    const error = new Error('could not migrate', { cause: withCode('ECONNREFUSED') });
    expect(isUnavailable(error)).toBe(true);
  });

  test('is recognised when all its addresses refuse', () => {
    const refused = [withCode('ECONNREFUSED'), withCode('ENETUNREACH')];
    expect(isUnavailable(new AggregateError(refused))).toBe(true);
    expect(isUnavailable(new AggregateError([...refused, withCode('EACCES')]))).toBe(false);
  });

  test('is recognised by a missing socket, not by any missing file', () => {
    expect(isUnavailable(Object.assign(withCode('ENOENT'), { syscall: 'connect' }))).toBe(true);
    expect(isUnavailable(Object.assign(withCode('ENOENT'), { syscall: 'open' }))).toBe(false);
  });
});

describe('a database that answered', () => {
  test.each(['23505', '42P01', '22P02', '40001', '28P01'])('is not taken for gone: %s', (code) => {
    expect(isUnavailable(withCode(code, 'connection terminated'))).toBe(false);
  });

  test('is not taken for gone by what is no error of it', () => {
    const endless = new Error('round');
    endless.cause = endless;
    for (const error of [endless, new Error('words'), 'ECONNREFUSED', null, undefined, {}]) {
      expect(isUnavailable(error)).toBe(false);
    }
  });
});
