import { expect, it } from 'vitest';
import { withoutBasePath } from './base-path.ts';

it.each([
  ['/limits/v1/check', '/v1/check'],
  ['/limits/v1/check?a=/limits', '/v1/check?a=/limits'],
  ['/limits', '/'],
  ['/limits/', '/'],
  ['/limits?a', '/?a'],
  ['http://host/limits/v1/check', '/v1/check'],
  ['/limitsv1/check', '/limitsv1/check'],
  ['/v1/check', '/v1/check'],
])('%s is served as %s', (url, served) => expect(withoutBasePath('/limits', url)).toBe(served));
