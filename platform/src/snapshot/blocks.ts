import { BlockList, isIP } from 'node:net';
import type { Level } from 'sluice/core';
import type { BlockSource } from './source.ts';

/** Who calls, as far as blocks look at it. */
export type BlockedParty = {
  readonly subject: string;
  readonly keyId: string | null;
  /** As the caller sent them. */
  readonly attributes: Readonly<Record<string, string>>;
};

export type Block = {
  readonly id: string;
  readonly action: 'block' | 'bypass';
  readonly level: Level;
  readonly untilMs: number | null;
  /** Whom it is about, for the one it is about. */
  readonly entity: string;
};

type Range = { readonly list: BlockList; readonly block: Block };

/** Who is shut out, and who is let through whatever the limits say. */
export class Blocks {
  readonly #bySubject = new Map<string, Block[]>();
  readonly #byKey = new Map<string, Block[]>();
  readonly #byAttribute = new Map<string, Map<string, Block[]>>();
  readonly #ranges: Range[] = [];
  readonly isEmpty: boolean;

  constructor(sources: readonly BlockSource[]) {
    this.isEmpty = sources.length === 0;
    for (const source of sources) this.#add(source);
  }

  /** Who is shut out stays out: a bypass is one around limits. */
  of(party: BlockedParty): Block | null {
    const all = this.#all(party);
    return all.find(({ action }) => action === 'block') ?? all[0] ?? null;
  }

  #all({ subject, keyId, attributes }: BlockedParty): Block[] {
    const found = [
      ...(this.#bySubject.get(subject) ?? []),
      ...((keyId !== null && this.#byKey.get(keyId)) || []),
    ];
    for (const [name, byValue] of this.#byAttribute) {
      if (Object.hasOwn(attributes, name))
        found.push(...(byValue.get(attributes[name] as string) ?? []));
    }
    const address = Object.hasOwn(attributes, 'ip') ? addressOf(attributes['ip'] as string) : null;
    if (address) {
      for (const { list, block } of this.#ranges) {
        if (list.check(address.text, address.family)) found.push(block);
      }
    }
    return found;
  }

  #add({ id, subject, ip, attribute, key_id: keyId, action, expiresAtMs: untilMs }: BlockSource) {
    const block = (level: Level, entity: string): Block => ({ id, action, level, entity, untilMs });
    if (subject !== null) push(this.#bySubject, subject, block('user', subject));
    if (keyId !== null) push(this.#byKey, keyId, block('attribute', keyId));
    if (attribute !== null) {
      const byValue = this.#byAttribute.get(attribute.name) ?? new Map<string, Block[]>();
      this.#byAttribute.set(attribute.name, byValue);
      push(byValue, attribute.value, block('attribute', attribute.value));
    }
    if (ip !== null) this.#ranges.push({ list: rangeOf(ip), block: block('attribute', ip) });
  }
}

function push(blocks: Map<string, Block[]>, key: string, block: Block): void {
  const known = blocks.get(key);
  if (known) known.push(block);
  else blocks.set(key, [block]);
}

function rangeOf(cidr: string): BlockList {
  const [text = '', bits] = cidr.split('/');
  const family = isIP(text) === 4 ? 'ipv4' : 'ipv6';
  const list = new BlockList();
  list.addSubnet(text, Number(bits ?? (family === 'ipv4' ? 32 : 128)), family);
  return list;
}

const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i;

/** An IPv4 address in IPv6's form is that IPv4 address. */
function addressOf(given: string): { text: string; family: 'ipv4' | 'ipv6' } | null {
  const text = mapped.exec(given)?.[1] ?? given;
  const version = isIP(text);
  if (version === 0) return null;
  return { text, family: version === 4 ? 'ipv4' : 'ipv6' };
}
