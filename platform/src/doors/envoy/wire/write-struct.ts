import type { WireWriter } from './wire-writer.ts';

const depthMax = 16;
/** Gateways keep it with every request. */
const bytesMax = 65_536;

const valueFields = { null: 1, number: 2, text: 3, flag: 4, struct: 5, list: 6 } as const;

/**
 * `google.protobuf.Struct`: JSON as protobuf. Nothing at all where it would be larger or deeper than
 * a gateway should keep: half of it could be taken for all.
 */
export function writeStruct(
  writer: WireWriter,
  field: number,
  value: Readonly<Record<string, unknown>>,
): void {
  const before = writer.length;
  const isWritten = writeFields(writer, field, value, 1);
  if (!isWritten || writer.length - before > bytesMax) writer.rewind(before);
}

function writeFields(
  writer: WireWriter,
  field: number,
  value: Readonly<Record<string, unknown>>,
  depth: number,
): boolean {
  const start = writer.open(field);
  for (const [name, one] of Object.entries(value)) {
    const entry = writer.open(1);
    writer.text(1, name);
    if (!writeValue(writer, 2, one, depth)) return false;
    writer.close(entry);
  }
  writer.close(start);
  return true;
}

function writeValue(writer: WireWriter, field: number, value: unknown, depth: number): boolean {
  if (depth > depthMax || writer.length > 2 * bytesMax) return false;
  const start = writer.open(field);
  if (typeof value === 'string') {
    writer.presentText(valueFields.text, value);
  } else if (typeof value === 'number') {
    writer.double(valueFields.number, value);
  } else if (typeof value === 'boolean') {
    writer.presentUint(valueFields.flag, value ? 1 : 0);
  } else if (Array.isArray(value)) {
    const list = writer.open(valueFields.list);
    for (const one of value) {
      if (!writeValue(writer, 1, one, depth + 1)) return false;
    }
    writer.close(list);
  } else if (typeof value === 'object' && value !== null) {
    const inner = value as Readonly<Record<string, unknown>>;
    if (!writeFields(writer, valueFields.struct, inner, depth + 1)) return false;
  } else {
    writer.presentUint(valueFields.null, 0);
  }
  writer.close(start);
  return true;
}
