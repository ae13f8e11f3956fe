import type { RlsHeader } from '../../rls/ask.ts';

const nameLengthMax = 128;
const valueLengthMax = 8192;
const token = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
/** Envoy writes the name of a limit between quotes into a header, as it is. */
// oxlint-disable-next-line no-control-regex -- those are what must not be sent
const unsafeInName = /[^\x20-\x7e]|["\\;,]/g;
// oxlint-disable-next-line no-control-regex -- likewise
const unsafeInValue = /[^\t\x20-\x7e]/g;

/** The name of a limit as a gateway can put it into a header. */
export function safeName(name: string): string {
  return name.slice(0, nameLengthMax).replaceAll(unsafeInName, '_');
}

/** A header that a gateway can send on, or null: one whose name is none is better not sent. */
export function safeHeader({ name, value }: RlsHeader): RlsHeader | null {
  if (name.length > nameLengthMax || !token.test(name)) return null;
  return { name, value: value.slice(0, valueLengthMax).replaceAll(unsafeInValue, '_') };
}
