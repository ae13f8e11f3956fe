/** What is sent, and the field that the refusal names. */
export type BadInput = readonly [method: string, path: string, body: unknown, field: string];

const override = { tenant_id: 'TENANT', limit: 'm', numbers: { limit: 5 }, reason: 'r' };
const block = { tenant_id: 'TENANT', subject: 'mallory', reason: 'r' };
const mode = { scope: 'tenant', tenant_id: 'TENANT', mode: 'warn' };
const past = '2020-01-01T00:00:00Z';
const longAgo = '0000-01-01T00:00:00Z';
const tooFar = '2110-01-01T00:00:00Z';

function without<T extends object>(object: T, field: keyof T): object {
  return Object.fromEntries(Object.entries(object).filter(([name]) => name !== field));
}

const makes = (fields: object, field: string): BadInput => [
  'POST',
  'overrides',
  { ...override, ...fields },
  field,
];
const patches = (fields: object, field: string): BadInput => [
  'PATCH',
  'overrides/OVERRIDE',
  fields,
  field,
];
const blocks = (fields: object, field: string): BadInput => [
  'POST',
  'blocks',
  { ...block, ...fields },
  field,
];
const sets = (fields: object, field: string): BadInput => [
  'PUT',
  'modes',
  { ...mode, ...fields },
  field,
];

const names = ['', 'a b', 'x'.repeat(65), '\u0000', '\ud800', "' OR 1=1", 5, null, {}, []];
const texts = ['', 'x'.repeat(1025), 'a\u0000', 'a\nb', '\ud800', 5, {}, []];
const reasons = ['', '   ', 'x'.repeat(501), 'a\u0000', 'a\nb', '\ud800', 5, null, {}];
const patterns = ['', 'x'.repeat(513), 'GET:/{', 'GET:/**', 'a\u0000', '\ud800', 5, []];
const instants = ['', 'soon', 1e12, '2030-02-31', '2030-12-31T23:59:60Z', tooFar, {}];
const lengths = [0, -1, 1.5, '60', 1e308, 316_224_001, null];
const versions = [0, 1.5, '1', 1e308];

/** Overrides, blocks and modes, field by field. */
export const badRules: readonly BadInput[] = [
  ...(['tenant_id', 'limit', 'numbers', 'reason'] as const).map((field): BadInput => [
    'POST',
    'overrides',
    without(override, field),
    field,
  ]),
  ['POST', 'overrides', [], 'body'],
  ['POST', 'overrides', 'null', 'body'],
  makes({ tenant_id: null }, 'tenant_id'),
  makes({ tenant_id: 5 }, 'tenant_id'),
  ...names.map((limit) => makes({ limit }, 'limit')),
  makes({ limit: 'unheard-of' }, 'limit'),
  makes({ plan_id: 5 }, 'plan_id'),
  makes({ policy_id: {} }, 'policy_id'),
  ...patterns.map((resource) => makes({ resource }, 'resource')),
  ...texts.map((subject) => makes({ subject }, 'subject')),
  makes({ attributes: null }, 'attributes'),
  makes({ attributes: [] }, 'attributes'),
  makes({ attributes: { 'a b': 'x' } }, 'attributes'),
  makes({ attributes: { team: 5 } }, 'attributes.team'),
  makes({ attributes: { team: '' } }, 'attributes.team'),
  makes({ attributes: { team: '\u0000' } }, 'attributes.team'),
  makes(
    { attributes: Object.fromEntries(Array.from({ length: 9 }, (_, at) => [`a${at}`, 'x'])) },
    'attributes',
  ),
  makes({ numbers: {} }, 'numbers'),
  makes({ numbers: [] }, 'numbers'),
  makes({ numbers: null }, 'numbers'),
  makes({ numbers: { colour: 1 } }, 'numbers.colour'),
  makes({ numbers: { share_of: 1 } }, 'numbers.share_of'),
  makes({ numbers: { bucket_capacity: 5 } }, 'numbers.bucket_capacity'),
  makes({ numbers: { max_concurrent: 5 } }, 'numbers.max_concurrent'),
  ...[0, -1, 1.5, 2 ** 53, 1e308, '5', null, {}].map((limit) =>
    makes({ numbers: { limit } }, 'numbers.limit'),
  ),
  ...[0, -1, 1e-9, 1e308, '60', null].map((window_seconds) =>
    makes({ numbers: { window_seconds } }, 'numbers.window_seconds'),
  ),
  ...[...instants, longAgo].map((starts_at) => makes({ starts_at }, 'starts_at')),
  ...[...instants, past].map((expires_at) => makes({ expires_at }, 'expires_at')),
  ...lengths.map((ttl_seconds) => makes({ ttl_seconds }, 'ttl_seconds')),
  makes({ ttl_seconds: 5, expires_at: null }, 'ttl_seconds'),
  ...reasons.map((reason) => makes({ reason }, 'reason')),
  makes({ author: 'me' }, 'author'),
  makes({ id: 'mine' }, 'id'),
  makes({ status: 'active' }, 'status'),
  makes({ version: 1 }, 'version'),
  makes({ colour: 1 }, 'colour'),

  ...(['tenant_id', 'limit', 'plan_id', 'policy_id', 'author', 'status', 'colour'] as const).map(
    (field) => patches({ [field]: 'x' }, field),
  ),
  patches({ numbers: {} }, 'numbers'),
  patches({ numbers: { bucket_capacity: 1 } }, 'numbers.bucket_capacity'),
  patches({ resource: 'GET:/{' }, 'resource'),
  patches({ subject: '' }, 'subject'),
  patches({ attributes: { 'a b': 'x' } }, 'attributes'),
  patches({ starts_at: 'x' }, 'starts_at'),
  patches({ expires_at: past }, 'expires_at'),
  patches({ ttl_seconds: 0 }, 'ttl_seconds'),
  patches({ reason: null }, 'reason'),
  ...versions.map((version) => patches({ version }, 'version')),

  ['DELETE', 'overrides', undefined, 'query'],
  ['DELETE', 'overrides', {}, 'query'],
  ['DELETE', 'overrides?colour=red', undefined, 'colour'],
  ['DELETE', 'overrides?tenant_id=shared', undefined, 'tenant_id'],
  ['DELETE', 'overrides?tenant_id=%27', undefined, 'tenant_id'],
  ['DELETE', 'overrides?limit=%00', undefined, 'limit'],
  ['DELETE', 'overrides?resource=%00', undefined, 'resource'],
  ['DELETE', 'overrides?subject=%00', undefined, 'subject'],
  ['DELETE', 'overrides?status=gone', undefined, 'status'],
  ['DELETE', 'overrides?subject=a&subject=b', undefined, 'subject'],
  ['DELETE', 'overrides?cursor=x', undefined, 'cursor'],
  ['DELETE', 'overrides?subject=a', { subject: 'b' }, 'subject'],
  ['GET', 'overrides?tenant_id=x', undefined, 'tenant_id'],
  ['GET', 'overrides?limit_name=%00', undefined, 'limit_name'],
  ['GET', 'overrides?limit=requests', undefined, 'limit'],
  ['GET', 'overrides?status=gone', undefined, 'status'],

  ['POST', 'blocks', without(block, 'reason'), 'reason'],
  ['POST', 'blocks', without(block, 'subject'), 'subject'],
  ['POST', 'blocks', [], 'body'],
  blocks({ tenant_id: 5 }, 'tenant_id'),
  ...texts.map((subject) => blocks({ subject }, 'subject')),
  ...['', 'x', '1.2.3', '1.2.3.4/33', '::/0', '0.0.0.0/0', 'x'.repeat(65), 5, {}].map((ip) =>
    blocks({ subject: null, ip }, 'ip'),
  ),
  blocks({ ip: '203.0.113.9' }, 'ip'),
  blocks({ key_id: 'x' }, 'key_id'),
  blocks({ subject: null, key_id: 5 }, 'key_id'),
  blocks({ subject: null, attribute: 'x' }, 'attribute'),
  blocks({ subject: null, attribute: {} }, 'attribute.name'),
  blocks({ subject: null, attribute: { name: 'a b', value: 'x' } }, 'attribute.name'),
  blocks({ subject: null, attribute: { name: 'a' } }, 'attribute.value'),
  blocks({ subject: null, attribute: { name: 'a', value: '' } }, 'attribute.value'),
  blocks({ subject: null, attribute: { name: 'a', value: '\u0000' } }, 'attribute.value'),
  blocks({ subject: null, attribute: { name: 'a', value: 'b', c: 1 } }, 'attribute.c'),
  ...['allow', '', null, 1].map((action) => blocks({ action }, 'action')),
  ...[...instants, past].map((expires_at) => blocks({ expires_at }, 'expires_at')),
  ...lengths.map((ttl_seconds) => blocks({ ttl_seconds }, 'ttl_seconds')),
  ...reasons.map((reason) => blocks({ reason }, 'reason')),
  blocks({ author: 'me' }, 'author'),
  blocks({ starts_at: null }, 'starts_at'),
  blocks({ version: 1 }, 'version'),
  blocks({ colour: 1 }, 'colour'),
  ...(['tenant_id', 'subject', 'ip', 'attribute', 'key_id', 'author'] as const).map(
    (field): BadInput => ['PATCH', 'blocks/BLOCK', { [field]: null }, field],
  ),
  ['PATCH', 'blocks/BLOCK', { action: 'allow' }, 'action'],
  ['PATCH', 'blocks/BLOCK', { expires_at: past }, 'expires_at'],
  ['PATCH', 'blocks/BLOCK', { ttl_seconds: 1, expires_at: null }, 'ttl_seconds'],
  ['PATCH', 'blocks/BLOCK', { reason: '' }, 'reason'],
  ...versions.map((version): BadInput => ['PATCH', 'blocks/BLOCK', { version }, 'version']),
  ['GET', 'blocks?tenant_id=x', undefined, 'tenant_id'],
  ['GET', 'blocks?action=allow', undefined, 'action'],
  ['GET', 'blocks?subject=%00', undefined, 'subject'],
  ['GET', 'blocks?status=scheduled', undefined, 'status'],

  ['PUT', 'modes', without(mode, 'scope'), 'scope'],
  ['PUT', 'modes', without(mode, 'mode'), 'mode'],
  ['PUT', 'modes', without(mode, 'tenant_id'), 'tenant_id'],
  ['PUT', 'modes', [], 'body'],
  ...['', 'galaxy', null, 1].map((scope) => sets({ scope }, 'scope')),
  sets({ tenant_id: 5 }, 'tenant_id'),
  ...['', 'maybe', null, 1, []].map((word) => sets({ mode: word }, 'mode')),
  ...patterns.map((resource) => sets({ scope: 'resource', tenant_id: null, resource }, 'resource')),
  ...names.map((limit) => sets({ scope: 'limit', limit }, 'limit')),
  sets({ scope: 'limit', limit: 'unheard-of' }, 'limit'),
  sets({ resource: 'GET:/x' }, 'resource'),
  sets({ policy_id: 'x' }, 'policy_id'),
  sets({ limit: 'm' }, 'limit'),
  sets({ scope: 'platform' }, 'tenant_id'),
  ...[...instants, past].map((enforce_from) => sets({ enforce_from }, 'enforce_from')),
  sets({ mode: 'off', enforce_from: '2030-01-01T00:00:00Z' }, 'enforce_from'),
  ...['yes', 1, null].map((confirm) => sets({ confirm }, 'confirm')),
  ...versions.map((version) => sets({ version }, 'version')),
  sets({ id: 'mine' }, 'id'),
  sets({ colour: 1 }, 'colour'),
  ['GET', 'modes?scope=galaxy', undefined, 'scope'],
  ['GET', 'modes?tenant_id=x', undefined, 'tenant_id'],
  ['GET', 'modes?mode=warn', undefined, 'mode'],
];
