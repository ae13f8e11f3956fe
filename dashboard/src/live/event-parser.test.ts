import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { EventParser } from './event-parser.ts';

const text =
  'retry: 2000\n\nid: 7\nevent: second\ndata: {"at":7}\n\n: a comment\n\nid: 8\ndata: a\ndata: b\n\n';

describe('events', () => {
  it('are read with their id, name and data; what has no data is none', () => {
    expect(new EventParser().feed(text)).toEqual([
      { id: '7', name: 'second', data: '{"at":7}' },
      { id: '8', name: 'message', data: 'a\nb' },
    ]);
  });

  it('are the same in whatever pieces they arrive', () => {
    const whole = new EventParser().feed(text);
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 20 }), { minLength: 1 }), (lengths) => {
        const parser = new EventParser();
        const events = [];
        let rest = text;
        for (let at = 0; rest !== ''; at += 1) {
          const length = lengths[at % lengths.length] ?? 1;
          events.push(...parser.feed(rest.slice(0, length)));
          rest = rest.slice(length);
        }
        expect(events).toEqual(whole);
      }),
    );
  });

  it('that are not complete wait for the rest', () => {
    const parser = new EventParser();
    expect(parser.feed('data: a')).toEqual([]);
    expect(parser.feed('\n')).toEqual([]);
    expect(parser.feed('\n')).toHaveLength(1);
  });
});
