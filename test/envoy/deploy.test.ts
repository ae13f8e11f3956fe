// The sidecar's two files, held to each other: nothing is named that is not there.

import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';

type Tree = { readonly [name: string]: Tree } & readonly Tree[];

function read(path: string): Tree {
  return parse(
    readFileSync(new URL(`../../deploy/envoy/${path}`, import.meta.url), 'utf8'),
  ) as Tree;
}

/** Every value of this name, at any depth. */
function all(tree: unknown, name: string): unknown[] {
  if (typeof tree !== 'object' || tree === null) return [];
  return Object.entries(tree).flatMap(([key, value]) => [
    ...(key === name ? [value] : []),
    ...all(value, name),
  ]);
}

/** The key and value of the entry that an action of a route makes. */
function entryOf(action: Tree): readonly [string, string | null] {
  const { generic_key: fixed, request_headers: header, masked_remote_address: masked } = action;
  if (fixed) return [String(fixed['descriptor_key']), String(fixed['descriptor_value'])];
  if (header) return [String(header['descriptor_key']), null];
  if (masked) return ['masked_remote_address', null];
  throw new Error(`an action that nobody made a rule for: ${JSON.stringify(action)}`);
}

function hasRule(level: readonly Tree[], entries: readonly (readonly [string, string | null])[]) {
  const [first, ...rest] = entries;
  const found = level.find(
    (node) =>
      String(node['key']) === first?.[0] &&
      (node['value'] === undefined || String(node['value']) === first[1]),
  );
  if (!found) return false;
  if (rest.length === 0) return found['rate_limit'] !== undefined;
  return hasRule(found['descriptors'] ?? [], rest);
}

describe('the sidecar', () => {
  const envoy = read('envoy.yaml');
  const rules = read('ratelimit/shop.yaml');

  it('asks for a domain that there are rules for, in time and by the third version', () => {
    const [filter] = all(envoy, 'http_filters').flat() as Tree[];
    expect(filter).toMatchObject({
      name: 'envoy.filters.http.ratelimit',
      typed_config: {
        domain: rules['domain'],
        timeout: '0.020s',
        failure_mode_deny: false,
        rate_limit_service: { transport_api_version: 'V3' },
      },
    });
  });

  it('names no cluster that it does not have', () => {
    const clusters = all(envoy['static_resources']?.['clusters'], 'name');
    const named = [...all(envoy, 'cluster'), ...all(envoy, 'cluster_name')];
    expect(named.length).toBeGreaterThan(3);
    expect(named.filter((name) => !clusters.includes(name))).toEqual([]);
  });

  it('sends no descriptor that has no rule', () => {
    const sent = all(envoy, 'actions') as Tree[][];
    expect(sent).toHaveLength(4);
    const without = sent.filter(
      (actions) => !hasRule(rules['descriptors'] ?? [], actions.map(entryOf)),
    );
    expect(without).toEqual([]);
  });

  it('reaches Sluice where it listens by default, over HTTP/2', () => {
    const clusters = envoy['static_resources']?.['clusters'] ?? [];
    const sluice = clusters.find(({ name }) => String(name) === 'sluice');
    expect(all(sluice, 'port_value')).toEqual([8081]);
    expect(all(sluice, 'http2_protocol_options')).toHaveLength(1);
  });
});
