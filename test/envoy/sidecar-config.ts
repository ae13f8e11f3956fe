// Configurations of Envoy, as small as what a test is about.

import type { Ports } from './sidecar.ts';

const types = 'type.googleapis.com/envoy.extensions';
const filterName = 'envoy.filters.http.ratelimit';

export type Action = Readonly<Record<string, object>>;
export type RateLimitRule = {
  readonly actions: readonly Action[];
  readonly hits_addend?: object;
  readonly apply_on_stream_done?: boolean;
};
export type RouteRules = { readonly path: string; readonly rules: readonly RateLimitRule[] };

export type ConfigParts = {
  readonly domain: string;
  readonly routes: readonly RouteRules[];
  /** Fields of the filter beside the domain. */
  readonly filter?: object;
  /** Besides the fields of the response. */
  readonly responseHeaders?: readonly { readonly header: object }[];
  /** How Envoy speaks with us; in plain text when absent. */
  readonly transportSocket?: object;
};

export const header = (name: string, key = name): Action => ({
  request_headers: { header_name: name, descriptor_key: key },
});
export const word = (key: string, value: string): Action => ({
  generic_key: { descriptor_key: key, descriptor_value: value },
});

/** One listener with the rate limit filter; every route has rules of its own. */
export function configOf(parts: ConfigParts, ports: Ports): object {
  return {
    admin: { address: addressOf(ports.admin) },
    static_resources: {
      listeners: [
        {
          name: 'inbound',
          address: addressOf(ports.inbound),
          filter_chains: [{ filters: [managerOf(parts)] }],
        },
      ],
      clusters: [
        { name: 'service', connect_timeout: '1s', ...endpointOf('service', ports.service) },
        sluiceCluster(parts, ports.sluice),
      ],
    },
  };
}

function managerOf({ domain, routes, filter, responseHeaders = [] }: ConfigParts): object {
  return {
    name: 'envoy.filters.network.http_connection_manager',
    typed_config: {
      '@type': `${types}.filters.network.http_connection_manager.v3.HttpConnectionManager`,
      stat_prefix: 'inbound',
      http_filters: [filterOf(domain, filter), routerFilter],
      route_config: {
        response_headers_to_add: responseHeaders,
        virtual_hosts: [{ name: 'all', domains: ['*'], routes: routes.map(routeOf) }],
      },
    },
  };
}

const routerFilter = {
  name: 'envoy.filters.http.router',
  typed_config: { '@type': `${types}.filters.http.router.v3.Router` },
};

function filterOf(domain: string, filter: object = {}): object {
  return {
    name: filterName,
    typed_config: {
      '@type': `${types}.filters.http.ratelimit.v3.RateLimit`,
      domain,
      // These tests are not about a busy machine.
      timeout: '10s',
      rate_limit_service: {
        transport_api_version: 'V3',
        grpc_service: { envoy_grpc: { cluster_name: 'sluice' } },
      },
      ...filter,
    },
  };
}

/** In the filter's own place: there alone Envoy heeds `hits_addend`. */
function routeOf({ path, rules }: RouteRules): object {
  return {
    match: { prefix: path },
    route: { cluster: 'service' },
    typed_per_filter_config: {
      [filterName]: {
        '@type': `${types}.filters.http.ratelimit.v3.RateLimitPerRoute`,
        rate_limits: rules,
      },
    },
  };
}

function sluiceCluster({ transportSocket }: ConfigParts, port: number): object {
  return {
    name: 'sluice',
    connect_timeout: '1s',
    typed_extension_protocol_options: {
      'envoy.extensions.upstreams.http.v3.HttpProtocolOptions': {
        '@type': `${types}.upstreams.http.v3.HttpProtocolOptions`,
        explicit_http_config: { http2_protocol_options: {} },
      },
    },
    ...(transportSocket && { transport_socket: transportSocket }),
    ...endpointOf('sluice', port),
  };
}

function addressOf(port: number): object {
  return { socket_address: { address: '127.0.0.1', port_value: port } };
}

function endpointOf(name: string, port: number): object {
  const endpoint = { endpoint: { address: addressOf(port) } };
  return {
    type: 'STATIC',
    load_assignment: { cluster_name: name, endpoints: [{ lb_endpoints: [endpoint] }] },
  };
}
