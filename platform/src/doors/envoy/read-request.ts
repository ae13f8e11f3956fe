import type { RlsDescriptor, RlsEntry, RlsRequest } from '../../rls/ask.ts';
import { uint32Max } from '../../rls/bounds.ts';
import {
  bounds,
  overrideUnit,
  requireAsked,
  requireHits,
  requireKey,
  requireRoom,
} from './bounds.ts';
import { WireReader, wireType } from './wire/wire-reader.ts';

type Draft = { -readonly [Field in keyof RlsDescriptor]: RlsDescriptor[Field] };
type Override = { requestsPerUnit: number; unitNumber: number };

const hitsOfRequest = -1;

/** Tags as they stand on the wire: the number of a field and its kind. */
const requestTags = {
  domain: tagOf(1, wireType.bytes),
  descriptor: tagOf(2, wireType.bytes),
  hitsAddend: tagOf(3, wireType.varint),
} as const;
const descriptorTags = {
  entry: tagOf(1, wireType.bytes),
  limit: tagOf(2, wireType.bytes),
  hitsAddend: tagOf(3, wireType.bytes),
  isNegativeHits: tagOf(4, wireType.varint),
} as const;
const entryTags = { key: tagOf(1, wireType.bytes), value: tagOf(2, wireType.bytes) } as const;
const limitTags = {
  requestsPerUnit: tagOf(1, wireType.varint),
  unit: tagOf(2, wireType.varint),
} as const;
const wrappedTag = tagOf(1, wireType.varint);

/** `RateLimitRequest`. Throws `RlsRefusal` for what is none, or asks too much. */
export function readRequest(bytes: Buffer): RlsRequest {
  const reader = new WireReader(bytes);
  const descriptors: Draft[] = [];
  let domain = '';
  let hitsAddend = 0;
  while (reader.next()) {
    if (reader.tag === requestTags.descriptor) {
      requireRoom(descriptors.length, bounds.descriptors, 'descriptors');
      descriptors.push(readDescriptor(reader));
    } else if (reader.tag === requestTags.domain) {
      domain = reader.text(bounds.domainBytes, 'the domain');
    } else if (reader.tag === requestTags.hitsAddend) {
      hitsAddend = reader.varint();
    } else {
      reader.skip();
    }
  }
  requireAsked(domain, descriptors.length, hitsAddend);
  // The request's own comes after its descriptors on the wire.
  const hits = hitsAddend === 0 ? 1 : hitsAddend;
  for (const descriptor of descriptors) {
    if (descriptor.hits === hitsOfRequest) descriptor.hits = hits;
  }
  return { domain, descriptors };
}

function readDescriptor(reader: WireReader): Draft {
  const entries: RlsEntry[] = [];
  let override: Override | null = null;
  let hits = hitsOfRequest;
  let isRefund = false;
  const outerEnd = reader.enter();
  while (reader.next()) {
    if (reader.tag === descriptorTags.entry) {
      requireRoom(entries.length, bounds.entries, 'entries in a descriptor');
      entries.push(readEntry(reader));
    } else if (reader.tag === descriptorTags.hitsAddend) {
      hits = readWrapped(reader);
      requireHits(hits);
    } else if (reader.tag === descriptorTags.limit) {
      override = readOverride(reader, override);
    } else if (reader.tag === descriptorTags.isNegativeHits) {
      isRefund = reader.varint() !== 0;
    } else {
      reader.skip();
    }
  }
  reader.leave(outerEnd);
  return { entries, limit: override && limitOf(override), hits, isRefund };
}

function readEntry(reader: WireReader): RlsEntry {
  let key = '';
  let value = '';
  const outerEnd = reader.enter();
  while (reader.next()) {
    if (reader.tag === entryTags.key) key = reader.text(bounds.keyBytes, 'a key');
    else if (reader.tag === entryTags.value) value = reader.text(bounds.valueBytes, 'a value');
    else reader.skip();
  }
  reader.leave(outerEnd);
  requireKey(key);
  return { key, value };
}

/** A field that comes twice is one, of which each part counts that came last. */
function readOverride(reader: WireReader, earlier: Override | null): Override {
  const override = earlier ?? { requestsPerUnit: 0, unitNumber: 0 };
  const outerEnd = reader.enter();
  while (reader.next()) {
    if (reader.tag === limitTags.requestsPerUnit) override.requestsPerUnit = reader.varint();
    else if (reader.tag === limitTags.unit) override.unitNumber = reader.varint();
    else reader.skip();
  }
  reader.leave(outerEnd);
  return override;
}

function limitOf({ requestsPerUnit, unitNumber }: Override): RlsDescriptor['limit'] {
  return {
    requestsPerUnit: Math.min(requestsPerUnit, uint32Max),
    unit: overrideUnit(unitNumber),
  };
}

/** `UInt64Value`: a message around a number, so that 0 can be told from nothing. */
function readWrapped(reader: WireReader): number {
  let value = 0;
  const outerEnd = reader.enter();
  while (reader.next()) {
    if (reader.tag === wrappedTag) value = reader.varint();
    else reader.skip();
  }
  reader.leave(outerEnd);
  return value;
}

function tagOf(field: number, type: number): number {
  return (field << 3) | type;
}
