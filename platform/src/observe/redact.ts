/** What stands where a secret was. */
export const redacted = '[redacted]';

/** Header and field names whose values are never written down. */
const secretNames = [
  'authorization',
  'proxy-authorization',
  'cookie',
  'set-cookie',
  'x-api-key',
  'idempotency-key',
  'x-idempotency-key',
  'password',
  'secret',
  'token',
  'key',
  // Of a command: with AUTH it has the password.
  'args',
];

const jsonString = String.raw`"(?:[^"\\]|\\.)*"`;
const secretField = new RegExp(
  String.raw`"(${secretNames.join('|')})":(?:${jsonString}|\[(?:(?:${jsonString}|[\d.]+),?)*\]|[\d.]+)`,
  'gi',
);
const urlPassword = /(\b[a-z][a-z0-9+.-]*:\/\/[^\s:@/"]*):[^\s"]*@/gi;
const ourSecrets = /\b(sl[kt]_)[\w-]+/g;
const bearer = /\b(bearer\s+)[\w.~+/=-]+/gi;

/** Takes out of any text what looks like a secret. */
export function redactText(text: string): string {
  return text
    .replace(urlPassword, `$1:${redacted}@`)
    .replace(ourSecrets, `$1${redacted}`)
    .replace(bearer, `$1${redacted}`);
}

/**
 * The same for a line of JSON, and the values of fields that hold secrets, however deep they are:
 * naming every path they may be at would miss some, and costs twenty times as much.
 */
export function redactLine(line: string): string {
  return redactText(line.replace(secretField, `"$1":"${redacted}"`));
}

const secretParameter = /pass|secret|token|key|auth/i;

/** A server's address as it may be shown: who logs in where, without the password. */
export function redactUrl(text: string): string {
  let url: URL;
  try {
    url = new URL(text);
  } catch {
    return redacted;
  }
  if (url.password !== '') url.password = 'redacted';
  for (const name of new Set(url.searchParams.keys())) {
    if (secretParameter.test(name)) url.searchParams.set(name, 'redacted');
  }
  return url.href;
}

const resourceLengthMax = 200;

/** A resource as it may be logged: without its query, bounded, and without keys of ours in it. */
export function redactResource(resource: string): string {
  const end = resource.search(/[?#]/);
  const path = end === -1 ? resource : resource.slice(0, end);
  const cut = path.length > resourceLengthMax ? `${path.slice(0, resourceLengthMax)}…` : path;
  return redactText(cut);
}
