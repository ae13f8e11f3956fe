import type { FastifyInstance, FastifyRequest } from 'fastify';
import { isIPv4 } from 'node:net';
import { findClient, parseProxies, type ProxyTest } from 'sluice/address';

declare module 'fastify' {
  interface FastifyInstance {
    readonly trustedProxies: ProxyTest | null;
  }
}

/** Who may say for whom they speak. Without any, the peer is all there is. */
export function trustProxies(app: FastifyInstance, networks: readonly string[]): void {
  const trusted = networks.length === 0 ? null : parseProxies('trustedProxies', networks);
  app.decorate('trustedProxies', trusted);
}

/**
 * Whose request it is: the peer's, or the one for whom a trusted peer speaks. Only `X-Forwarded-For`
 * counts: `Forwarded` and the many `X-Real-IP` pass most proxies untouched.
 */
export function clientAddress(request: FastifyRequest): string {
  // Gone when the connection is: then there is nobody to answer either.
  const peer = request.socket.remoteAddress ?? '';
  const { trustedProxies } = request.server;
  // As nearly always: nothing to look for, and one spelling already.
  if (trustedProxies === null && isIPv4(peer)) return peer;
  const chain = [request.headers['x-forwarded-for'] ?? []].flat().join(',');
  return findClient(peer, chain, trustedProxies ?? nobody)?.text ?? peer;
}

const nobody: ProxyTest = () => false;
