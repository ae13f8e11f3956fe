/** Their names are the caller's own. */
const ownNames = ['attributes', 'costs', 'when', 'teams'];

/** The library's `reserve.ttlMs` is the API's `reserve.ttl_ms`. */
export function toApiField(field: string): string {
  const parts = field.split('.');
  const named = parts.findIndex((part) => ownNames.includes(part));
  const ours = named === -1 ? parts.length : named + 1;
  return parts.map((part, at) => (at < ours ? toSnakeCase(part) : part)).join('.');
}

function toSnakeCase(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
