import { describe, expect, it } from 'vitest';
import { redactLine, redactResource, redactText, redactUrl } from './redact.ts';

describe('a server’s address', () => {
  it.each([
    ['redis://:hunter2@127.0.0.1:6379/0', 'redis://:redacted@127.0.0.1:6379/0'],
    ['rediss://ann:hunter2@cache.example', 'rediss://ann:redacted@cache.example'],
    [
      'postgres://ann:hunter2@db/sluice?sslmode=require&sslpassword=hunter2',
      'postgres://ann:redacted@db/sluice?sslmode=require&sslpassword=redacted',
    ],
    ['redis://127.0.0.1:6379', 'redis://127.0.0.1:6379'],
    ['hunter2 is no url', '[redacted]'],
  ])('is shown without its password: %s', (url, shown) => {
    expect(redactUrl(url)).toBe(shown);
  });
});

describe('a text', () => {
  it.each([
    ['connect to redis://:hunter2@h:1 failed', 'connect to redis://:[redacted]@h:1 failed'],
    ['postgres://u:hunter/2@x@h/db', 'postgres://u:[redacted]@h/db'],
    ['key slk_abc123_hunter2 is unknown', 'key slk_[redacted] is unknown'],
    ['token slt_abc123_hunter2', 'token slt_[redacted]'],
    ['Authorization: Bearer hunter2.x-y', 'Authorization: Bearer [redacted]'],
    ['see http://127.0.0.1:8080/docs', 'see http://127.0.0.1:8080/docs'],
  ])('loses what looks like a secret: %s', (text, shown) => {
    expect(redactText(text)).toBe(shown);
  });
});

describe('a line', () => {
  it('loses what a command was given, for with AUTH that is a password', () => {
    const command = { name: 'hello', args: ['3', 'AUTH', 'default', 'hunter2', 7] };
    expect(redactLine(JSON.stringify({ event: 'store.lost', command }))).toBe(
      '{"event":"store.lost","command":{"name":"hello","args":"[redacted]"}}',
    );
  });
});

describe('a resource', () => {
  it.each([
    ['GET:/orders?api_key=hunter2', 'GET:/orders'],
    ['GET:/orders#hunter2', 'GET:/orders'],
    ['GET:/slk_abc_hunter2/x', 'GET:/slk_[redacted]/x'],
    ['x'.repeat(300), `${'x'.repeat(200)}…`],
  ])('is shown without query, secret or length: %s', (resource, shown) => {
    expect(redactResource(resource)).toBe(shown);
  });
});
