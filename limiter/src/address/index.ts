// `sluice/address`: addresses of callers, one spelling each, counted by network, and found behind proxies that are
// trusted. Knows no framework and no socket: text in, text out.

export { addressGroup, parseAddress, type ParsedAddress } from './address.ts';
export { findClient, parseProxies, type ProxyTest, type TrustedProxies } from './proxies.ts';
