/**
 * One spelling for one resource, so that nobody gets a second allowance by writing a path another
 * way. Only what looks like `METHOD:/path` is touched; other resources are names of the caller's own.
 */
export function normalizeResource(resource: string): string {
  if (isPlain.test(resource)) return resource;
  const match = /^([A-Za-z]+):(\/.*)$/s.exec(resource);
  if (!match) return resource;
  const [, method = '', path = ''] = match;
  return `${method.toUpperCase()}:${normalizePath(path)}`;
}

/** Most are: no encoding, no query, no empty segment, no dots at a segment's start, no slash at the end. */
const isPlain = /^[A-Z]+:(?:\/|(?:\/[A-Za-z0-9_~$@!+,=:{}*-][A-Za-z0-9._~$@!+,=:{}*-]*)+)$/;

function normalizePath(path: string): string {
  const end = path.search(/[?#]/);
  const bare = end < 0 ? path : path.slice(0, end);
  const segments: string[] = [];
  for (const raw of bare.split('/')) {
    // Parameters of a segment (`;v=1`) choose a variant, not another resource.
    const segment = decodeUnreserved(raw.split(';', 1)[0] as string);
    if (segment === '' || segment === '.') continue;
    if (segment === '..') segments.pop();
    else segments.push(segment);
  }
  return `/${segments.join('/')}`;
}

/** Encoding a letter changes nothing; an encoded slash stays one, for it separates nothing. */
function decodeUnreserved(segment: string): string {
  return segment.replaceAll(/%([0-9A-Fa-f]{2})/g, (encoded, hex: string) => {
    const character = String.fromCharCode(Number.parseInt(hex, 16));
    return /[A-Za-z0-9._~-]/.test(character) ? character : encoded.toUpperCase();
  });
}
