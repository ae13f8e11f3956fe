import type { AuditNote } from '../change.ts';

/** A name as the audit has it: to tell whether two are one, and not who. */
export type NameHash = (tenantId: string, name: string) => string;

/** What is written by these says whom it is about. */
const namingNouns: readonly string[] = ['overrides', 'blocks', 'counters', 'decisions'];

/**
 * A note as it is kept: who is named in it is there as a hash, the one of the logs. Subjects stand in
 * what can be erased, and the audit can't be.
 */
export function namelessNote(note: AuditNote, hashName: NameHash): AuditNote {
  if (!namingNouns.includes(note.noun)) return note;
  const hash = (name: string) => hashName(note.tenantId ?? '', name);
  return { ...note, before: nameless(note.before, hash), after: nameless(note.after, hash) };
}

type Hash = (name: string) => string;

function nameless(object: unknown, hash: Hash): unknown {
  if (!isObject(object)) return object;
  const { subject, ip, attribute, attributes, ...rest } = object;
  return {
    ...rest,
    ...(subject !== undefined && { subject_hash: ofText(subject, hash) }),
    ...(ip !== undefined && { ip_hash: ofText(ip, hash) }),
    ...(attribute !== undefined && { attribute: ofAttribute(attribute, hash) }),
    ...(attributes !== undefined && { attributes: ofValues(attributes, hash) }),
  };
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}

function ofText(value: unknown, hash: Hash): string | null {
  return typeof value === 'string' ? hash(value) : null;
}

function ofAttribute(attribute: unknown, hash: Hash): unknown {
  if (!isObject(attribute)) return null;
  const { value, ...rest } = attribute;
  return { ...rest, value_hash: ofText(value, hash) };
}

function ofValues(attributes: unknown, hash: Hash): unknown {
  if (!isObject(attributes)) return {};
  const entries = Object.entries(attributes).map(([name, value]) => [name, ofText(value, hash)]);
  return Object.fromEntries(entries);
}
