import { InvalidInput } from 'sluice';
import { parseRedisUrl, RedisUrlError, shownRedisUrl, type RedisAddress } from '../redis-url.ts';

/** What a pool's address says, for people: without its password. What is wrong is thrown, unquoted. */
export const poolAddresses = {
  shown(url: string): string {
    addressIn(url);
    return shownRedisUrl(url);
  },

  /** Which servers that is, whoever logs in there and how. */
  servers(url: string): string {
    const address = addressIn(url);
    switch (address.kind) {
      case 'single':
        return `${named(address.server)}/${address.db}`;
      case 'sentinel':
        return `${address.sentinels.map(named).join()}/${address.masterName}/${address.db}`;
      case 'cluster':
        return address.servers.map(named).join();
    }
  },
};

function addressIn(url: string): RedisAddress {
  const address = parsed(url);
  // Whoever may make pools need not know what files there are on every node.
  if (address.tls && address.tls.caPath !== null) {
    throw new InvalidInput(
      'redis_url',
      'can not name a file with ca= here; trust the authority on each node instead, by NODE_EXTRA_CA_CERTS',
    );
  }
  return address;
}

function parsed(url: string): RedisAddress {
  try {
    return parseRedisUrl(url);
  } catch (error) {
    if (error instanceof RedisUrlError) throw new InvalidInput('redis_url', error.message);
    throw error;
  }
}

function named({ host, port }: { readonly host: string; readonly port: number }): string {
  return `${host}:${port}`;
}
