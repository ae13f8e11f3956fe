export type ServerEvent = { readonly id: string; readonly name: string; readonly data: string };

/** Reads server-sent events from text that arrives in any pieces. */
export class EventParser {
  #rest = '';
  #lastId = '';

  feed(text: string): ServerEvent[] {
    const blocks = (this.#rest + text).replaceAll('\r\n', '\n').split('\n\n');
    this.#rest = blocks.pop() ?? '';
    return blocks.flatMap((block) => this.#read(block));
  }

  #read(block: string): ServerEvent[] {
    const data: string[] = [];
    let name = 'message';
    for (const line of block.split('\n')) {
      const [, field = '', value = ''] = /^([^:]*):? ?(.*)$/.exec(line) ?? [];
      if (field === 'id') this.#lastId = value;
      if (field === 'event') name = value;
      if (field === 'data') data.push(value);
    }
    return data.length === 0 ? [] : [{ id: this.#lastId, name, data: data.join('\n') }];
  }
}
