import { InvalidInput } from 'sluice';

/** What a pool's address says, for people: without its password. What is wrong is thrown, unquoted. */
export const poolAddresses = {
  shown(url: string): string {
    return partsOf(url)
      .map(({ protocol, username, password, where }) => {
        const secret = password === '' ? '' : ':***';
        const who = username === '' && secret === '' ? '' : `${username}${secret}@`;
        return `${protocol}//${who}${where}`;
      })
      .join(',');
  },

  /** Which servers that is, whoever logs in there and how. */
  servers(url: string): string {
    return partsOf(url)
      .map(({ where }) => where)
      .join(',');
  },
};

type Parts = {
  readonly protocol: string;
  readonly username: string;
  readonly password: string;
  /** Host, port and database. */
  readonly where: string;
};

function partsOf(text: string): Parts[] {
  return text.split(',').map((one) => {
    const trimmed = one.trim();
    const url = URL.canParse(trimmed) ? new URL(trimmed) : null;
    const isRedis = url && /^rediss?:$/.test(url.protocol) && url.hostname !== '';
    if (!isRedis || !/^\/?\d*$/.test(url.pathname) || url.search !== '' || url.hash !== '') {
      throw new InvalidInput(
        'redis_url',
        'must be the address of a Redis, such as redis://user:password@host:6379/0, or several of one cluster with commas between them; write / ? # and @ in a password as %2F %3F %23 and %40',
      );
    }
    const { protocol, username, password, hostname } = url;
    const database = url.pathname.replace('/', '') || '0';
    return {
      protocol,
      username,
      password,
      where: `${hostname}:${url.port || '6379'}/${database}`,
    };
  });
}
